#include "runner/trial/workload_output.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pinwise {
namespace {

using nlohmann::json;

constexpr int known_schema = 1;

/// The value of a key, nullptr when it is not there.
const json* member(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

int integer_or(const json& object, const char* key, int fallback) {
    const json* const value = member(object, key);
    return value != nullptr && value->is_number_integer() ? value->get<int>() : fallback;
}

Result<std::string> text_of(const json& object, const char* key, std::string_view where) {
    const json* const value = member(object, key);
    if (value == nullptr || !value->is_string() || value->get_ref<const std::string&>().empty())
        return failure(fmt::format("{} has no \"{}\"", where, key));
    return value->get<std::string>();
}

Result<Metric> parse_metric(const json& object) {
    if (!object.is_object()) return failure("a metric is no object");
    auto name = text_of(object, "name", "a metric");
    if (!name) return tl::unexpected<Error>(name.error());
    const std::string where = fmt::format("metric \"{}\"", *name);
    auto unit = text_of(object, "unit", where);
    if (!unit) return tl::unexpected<Error>(unit.error());
    const auto better = text_of(object, "better", where);
    if (!better) return tl::unexpected<Error>(better.error());
    if (*better != "higher" && *better != "lower")
        return failure(fmt::format("{}: better is \"{}\", not higher or lower", where, *better));
    const json* const value = member(object, "value");
    if (value == nullptr || !value->is_number() || !std::isfinite(value->get<double>()))
        return failure(fmt::format("{}: its value is no finite number", where));
    return Metric{*std::move(name), *std::move(unit), value->get<double>(),
                  *better == "higher" ? Better::higher : Better::lower};
}

Result<std::vector<Metric>> parse_metrics(const json& document) {
    const json* const list = member(document, "metrics");
    if (list == nullptr || !list->is_array() || list->empty()) return failure("it has no metrics");
    std::vector<Metric> metrics;
    for (const json& each : *list) {
        auto metric = parse_metric(each);
        if (!metric) return tl::unexpected<Error>(metric.error());
        for (const Metric& other : metrics)
            if (other.name == metric->name) return failure(fmt::format("metric \"{}\" occurs twice", other.name));
        metrics.push_back(*std::move(metric));
    }
    return metrics;
}

/// First and last of `pages.local_share`; nothing where it is not there or not as documented.
std::optional<LocalShares> parse_local_shares(const json& document) {
    const json* const pages = member(document, "pages");
    const json* const shares = pages != nullptr && pages->is_object() ? member(*pages, "local_share") : nullptr;
    if (shares == nullptr || !shares->is_array() || shares->size() < 2) return std::nullopt;
    const auto percent = [](const json& share) -> std::optional<double> {
        const json* const value = share.is_object() ? member(share, "percent") : nullptr;
        if (value == nullptr || !value->is_number()) return std::nullopt;
        const auto number = value->get<double>();
        return number >= 0 && number <= 100 ? std::optional(number) : std::nullopt;
    };
    const auto start = percent(shares->front());
    const auto end = percent(shares->back());
    return start && end ? std::optional(LocalShares{*start, *end}) : std::nullopt;
}

Result<WorkloadOutput> parse_document(const json& document) {
    if (!document.is_object()) return failure("it is no JSON object");
    if (integer_or(document, "schema", 0) != known_schema)
        return failure(fmt::format("its \"schema\" is not {}", known_schema));
    const json* const verification = member(document, "verification");
    const json* const passed =
        verification != nullptr && verification->is_object() ? member(*verification, "passed") : nullptr;
    if (passed == nullptr || !passed->is_boolean()) return failure("it has no verification.passed");
    WorkloadOutput output;
    output.verified = passed->get<bool>();
    auto metrics = parse_metrics(document);
    // A run that failed its own check may have nothing to report, and nothing it reports is used.
    if (!metrics && output.verified) return tl::unexpected<Error>(metrics.error());
    if (metrics) output.metrics = *std::move(metrics);
    if (const json* const threads = member(document, "threads"); threads != nullptr && threads->is_array()) {
        for (const json& each : *threads) {
            if (!each.is_object()) return failure("a thread is no object");
            output.threads.push_back(
                {integer_or(each, "tid", 0), integer_or(each, "first_cpu", -1), integer_or(each, "last_cpu", -1)});
        }
    }
    if (const json* const parameters = member(document, "parameters"); parameters != nullptr && parameters->is_object())
        if (const json* const ratio = member(*parameters, "llc_ratio"); ratio != nullptr && ratio->is_number())
            output.llc_ratio = ratio->get<double>();
    output.local_shares = parse_local_shares(document);
    if (const json* const notes = member(document, "notes"); notes != nullptr && notes->is_array()) {
        for (const json& each : *notes)
            if (each.is_string()) output.notes.push_back(each.get<std::string>());
    }
    return output;
}

}  // namespace

Result<WorkloadOutput> parse_workload_output(std::string_view text) {
    if (text.empty()) return failure("no JSON document was written");
    try {
        return parse_document(json::parse(text));
    } catch (const json::exception& error) {
        return failure(fmt::format("no JSON: {}", error.what()));
    }
}

}  // namespace pinwise
