#include "workloads/common/workload_report.hpp"

#include <cerrno>
#include <cstring>
#include <iostream>

#include <fmt/core.h>

namespace pinwise::workloads {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const NodePages& pages) {
    Json json = Json::object();
    for (const auto& [node, count] : pages)
        json[std::to_string(node)] = count;
    return json;
}

Json to_json(const std::optional<NodePages>& pages) {
    return pages ? to_json(*pages) : Json();
}

Json to_json(const Metric& metric) {
    return {{"name", metric.name},
            {"unit", metric.unit},
            {"value", metric.value},
            {"better", metric.better == Better::higher ? "higher" : "lower"}};
}

Json to_json(const Verification& verification) {
    Json json = {
        {"passed", verification.passed}, {"max_error", verification.max_error}, {"tolerance", verification.tolerance}};
    if (!verification.message.empty()) json["message"] = verification.message;
    return json;
}

Json to_json(const ThreadCpus& thread) {
    Json json = {{"thread", thread.thread},
                 {"tid", thread.tid},
                 {"first_cpu", thread.first_cpu},
                 {"last_cpu", thread.last_cpu},
                 {"last_node", thread.last_node}};
    json["node_pages"] = to_json(thread.node_pages);
    return json;
}

void add_history(const PageReport& pages, Json& json) {
    json["arrays"] = Json::array();
    for (const auto& [name, bytes, start, end] : pages.arrays)
        json["arrays"].push_back({{"name", name}, {"bytes", bytes}, {"start", to_json(start)}, {"end", to_json(end)}});
    json["local_share"] = Json::array();
    for (const auto& [time_s, percent] : pages.local_share)
        json["local_share"].push_back({{"time_s", time_s}, {"percent", percent}});
}

/// The member is null only where nothing at all could be learnt.
void add_pages(const PageReport& pages, Json& document) {
    document["pages"] = Json();
    if (pages.anon_huge_bytes || pages.node_pages) {
        document["pages"] = {
            {"anon_huge_bytes", pages.anon_huge_bytes ? Json(*pages.anon_huge_bytes) : Json()},
            {"node_pages", to_json(pages.node_pages)},
            {"means", "anon_huge_bytes: /proc/self/smaps; all others: move_pages query of sampled pages"}};
        add_history(pages, document["pages"]);
    }
    if (!pages.unavailable_because.empty()) document["pages_reason"] = pages.unavailable_because;
}

}  // namespace

Json to_json(const WorkloadReport& report) {
    Json document = {{"schema", 1},
                     {"workload", report.workload},
                     {"variant", report.variant},
                     {"parameters", report.parameters},
                     {"metrics", Json::array()},
                     {"iterations", Json::array()},
                     {"verification", to_json(report.verification)},
                     {"threads", Json::array()}};
    if (report.verification.passed)
        for (const auto& metric : report.metrics)
            document["metrics"].push_back(to_json(metric));
    for (const auto& [kernel, times_s] : report.iterations)
        document["iterations"].push_back({{"kernel", kernel}, {"times_s", times_s}});
    for (const auto& thread : report.threads)
        document["threads"].push_back(to_json(thread));
    add_pages(report.pages, document);
    document["notes"] = report.notes;
    return document;
}

void add_team_pages(const std::vector<ThreadCpus>& threads, std::span<const MemoryRange> ranges, PageReport& report) {
    for (const auto& thread : threads) {
        if (!thread.node_pages) continue;
        if (!report.node_pages) report.node_pages.emplace();
        for (const auto& [node, count] : *thread.node_pages)
            (*report.node_pages)[node] += count;
    }
    if (const auto huge = anon_huge_bytes(ranges)) {
        report.anon_huge_bytes = *huge;
    } else {
        if (!report.unavailable_because.empty()) report.unavailable_because += "; ";
        report.unavailable_because += huge.error().message;
    }
}

Expected<JsonDestination> JsonDestination::open(const std::string& path) {
    JsonDestination destination;
    destination.path_ = path;
    if (path.empty() || path == "-") return destination;
    destination.file_.open(path);
    if (!destination.file_)
        return users_mistake(
            fmt::format("--json: cannot write '{}': {}; give a file in a folder that exists, or - for standard output",
                        path, std::strerror(errno)));
    return destination;
}

Expected<void> JsonDestination::write(const Json& document) {
    if (path_.empty()) return {};
    std::ostream& out = is_stdout() ? std::cout : file_;
    errno = 0;
    out << document.dump(2) << std::endl;  // flushed here, so that a full disk is noticed
    if (out) return {};
    return failed_run(fmt::format("--json: writing to '{}' failed: {}", path_, std::strerror(errno)));
}

}  // namespace pinwise::workloads
