#include "runner/report/workload_detail.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pinwise::report {
namespace {

using nlohmann::json;

/// The value of a key; null when it is not there or `object` is none.
const json& member(const json& object, const char* key) {
    static const json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

bool is_positive_number(const json& value) {
    return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0;
}

/// Absent when a time is no time: a part of a series would be shown at the wrong iterations.
std::optional<IterationSeries> parse_series(const json& object) {
    const json& kernel = member(object, "kernel");
    const json& times = member(object, "times_s");
    if (!kernel.is_string() || !times.is_array() || times.empty()) return std::nullopt;
    IterationSeries series;
    series.kernel = kernel.get<std::string>();
    for (const json& time : times) {
        if (!is_positive_number(time)) return std::nullopt;
        series.times_s.push_back(time.get<double>());
    }
    if (const json& bytes = member(object, "bytes"); is_positive_number(bytes)) series.bytes = bytes.get<double>();
    return series;
}

/// Pages of all threads together, and those among them on the node of their thread.
std::optional<double> local_percent(const json& threads) {
    double local = 0;
    double all = 0;
    for (const json& thread : threads) {
        const json& node = member(thread, "last_node");
        const json& pages = member(thread, "node_pages");
        if (!node.is_number_integer() || node.get<std::int64_t>() < 0 || !pages.is_object()) continue;
        const std::string own = fmt::format("{}", node.get<std::int64_t>());
        for (const auto& [page_node, count] : pages.items()) {
            if (!is_positive_number(count)) continue;
            all += count.get<double>();
            if (page_node == own) local += count.get<double>();
        }
    }
    if (all <= 0) return std::nullopt;
    return 100 * local / all;
}

bool is_percentage(const json& value) {
    constexpr double all = 100;
    return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= all;
}

std::vector<LocalShare> local_course(const json& shares) {
    std::vector<LocalShare> course;
    if (!shares.is_array()) return course;
    for (const json& share : shares) {
        const json& time_s = member(share, "time_s");
        const json& percent = member(share, "percent");
        if (time_s.is_number() && std::isfinite(time_s.get<double>()) && is_percentage(percent))
            course.push_back({time_s.get<double>(), percent.get<double>()});
    }
    return course;
}

}  // namespace

Result<WorkloadDetail> parse_workload_detail(std::string_view text) {
    const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!document.is_object()) return failure("no JSON object");
    WorkloadDetail detail;
    if (const json& iterations = member(document, "iterations"); iterations.is_array()) {
        for (const json& each : iterations)
            if (auto series = parse_series(each)) detail.iterations.push_back(*std::move(series));
    }
    if (const json& threads = member(document, "threads"); threads.is_array())
        detail.local_percent = local_percent(threads);
    detail.local_course = local_course(member(member(document, "pages"), "local_share"));
    return detail;
}

}  // namespace pinwise::report
