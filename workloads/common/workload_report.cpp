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
    json["node_pages"] = thread.node_pages ? to_json(*thread.node_pages) : Json();
    if (!thread.times) return json;
    json["user_s"] = thread.times->user_s;
    json["node_times"] = {{"means", thread.times->means}, {"seconds", Json::object()}};
    for (const auto& [node, seconds] : thread.times->node_s)
        json["node_times"]["seconds"][std::to_string(node)] = seconds;
    return json;
}

/// The member is null only where nothing at all could be learnt.
void add_pages(const PageReport& pages, Json& document) {
    document["pages"] = Json();
    if (pages.anon_huge_bytes || pages.node_pages) {
        document["pages"] = {
            {"anon_huge_bytes", pages.anon_huge_bytes ? Json(*pages.anon_huge_bytes) : Json()},
            {"node_pages", pages.node_pages ? to_json(*pages.node_pages) : Json()},
            {"means", "anon_huge_bytes: /proc/self/smaps; node_pages: move_pages query of sampled pages"}};
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
    for (const KernelTimes& each : report.iterations) {
        Json json = {{"kernel", each.kernel}, {"times_s", each.times_s}};
        if (each.bytes) json["bytes"] = *each.bytes;
        document["iterations"].push_back(std::move(json));
    }
    for (const auto& thread : report.threads)
        document["threads"].push_back(to_json(thread));
    add_pages(report.pages, document);
    document["notes"] = report.notes;
    return document;
}

PageReport page_report(const std::vector<ThreadCpus>& threads, std::span<const MemoryRange> ranges,
                       const std::string& sampling_error) {
    PageReport report;
    report.unavailable_because = sampling_error;
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
    return report;
}

PageReport sample_team_pages(ThreadTeam& team, const std::function<std::vector<MemoryRange>(int)>& ranges_of_thread,
                             std::span<const MemoryRange> all_ranges) {
    std::string error;
    for (ThreadCpus& thread : team.threads) {
        auto pages = sample_node_pages(ranges_of_thread(thread.thread), page_samples_per_thread);
        if (pages) {
            thread.node_pages = std::move(*pages);
        } else {
            error = pages.error().message;
        }
    }
    return page_report(team.threads, all_ranges, error);
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
