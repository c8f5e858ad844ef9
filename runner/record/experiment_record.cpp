#include "runner/record/experiment_record.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "placer/topology/cpu_list.hpp"
#include "runner/record/trials_csv.hpp"

namespace pinwise {
namespace {

using Json = nlohmann::ordered_json;

constexpr int experiment_schema = 1;

/// What a number depends on and that stays as it is from one day to the next.
constexpr std::array<std::string_view, 18> lasting_keys{"cpu_model",
                                                        "microcode",
                                                        "machine_kind",
                                                        "packages",
                                                        "nodes",
                                                        "llcs",
                                                        "cores",
                                                        "kernel",
                                                        "cpus_online",
                                                        "cpus_allowed",
                                                        "smt",
                                                        "boost",
                                                        "transparent_hugepages",
                                                        "numa_balancing",
                                                        "governor",
                                                        "frequency_driver",
                                                        "mitigations",
                                                        "environment_openmp"};

/// Distinct texts, in order of first appearance.
template <class Describe>
Json distinct(std::span<const TrialSpec> trials, Describe describe) {
    std::set<std::string> seen;
    Json texts = Json::array();
    for (const TrialSpec& spec : trials)
        if (std::string text = describe(spec); seen.insert(text).second) texts.push_back(std::move(text));
    return texts;
}

/// A value of a flattened document as a message shows it.
std::string shown(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "timeout_s was 60, is 30" of every key in one of two flattened documents.
std::string difference(const Json& before, const Json& now) {
    constexpr std::size_t most_named = 4;
    std::vector<std::string> changes;
    const auto name_of = [](const std::string& pointer) { return pointer.empty() ? "everything" : pointer.substr(1); };
    for (const auto& [key, value] : before.items()) {
        const auto found = now.find(key);
        if (found == now.end()) {
            changes.push_back(fmt::format("{} was {}, is gone", name_of(key), shown(value)));
        } else if (*found != value) {
            changes.push_back(fmt::format("{} was {}, is {}", name_of(key), shown(value), shown(*found)));
        }
    }
    for (const auto& [key, value] : now.items())
        if (!before.contains(key)) changes.push_back(fmt::format("{} is new: {}", name_of(key), shown(value)));
    if (changes.size() > most_named) {
        const std::size_t more = changes.size() - most_named;
        changes.resize(most_named);
        changes.push_back(fmt::format("{} more", more));
    }
    return fmt::format("{}", fmt::join(changes, "; "));
}

/// What the labels of external workloads stand for.
Json external_commands(std::span<const TrialSpec> trials) {
    Json commands = Json::object();
    for (const TrialSpec& spec : trials) {
        if (!spec.external || commands.contains(spec.external->label)) continue;
        const ExternalWorkload& external = *spec.external;
        Json metrics = Json::array();
        for (const MetricRule& rule : external.output.metrics)
            metrics.push_back(fmt::format("{} {} {}", rule.name, rule.unit, rule.pattern));
        commands[external.label] = {{"command", external.command},
                                    {"setup", external.setup},
                                    {"prepare", external.prepare},
                                    {"environment", external.environment},
                                    {"exit_status", external.exit_status},
                                    {"metrics", std::move(metrics)},
                                    {"success", external.output.success_patterns}};
    }
    return commands;
}

Result<Json> parse_object(std::string_view text, std::string_view what) {
    Json document = Json::parse(text, nullptr, false);
    if (!document.is_object()) return failure(fmt::format("{} is no JSON object", what));
    return document;
}

/// Only the keys that last and that `other` has as well.
Json lasting_part(const Json& document, const Json& other) {
    Json part = Json::object();
    for (const std::string_view key : lasting_keys)
        if (document.contains(key) && other.contains(key)) part[std::string(key)] = document[std::string(key)];
    return part;
}

}  // namespace

std::string describe_case(const std::string& workload, int threads, const std::string& parameters) {
    return fmt::format("{}, {} threads, {}", workload, threads, parameters);
}

std::string describe_strategy(const StrategyText& strategy) {
    return fmt::format("cpus {} ({}), policy {}, bind {}, memory {}, migration {}, balance {}", strategy.cpus,
                       strategy.mask, strategy.policy, strategy.bind, strategy.memory, strategy.migration,
                       strategy.balance);
}

std::string experiment_record(const ExperimentFacts& facts) {
    Json document = Json::object();
    document["schema"] = experiment_schema;
    document["trials"] = facts.trials.size();
    document["seed"] = facts.seed;
    document["repetitions"] = facts.repetitions;
    document["timeout_s"] = facts.trials.empty() ? 0.0 : facts.trials.front().timeout_s;
    document["cases"] = distinct(facts.trials, [](const TrialSpec& spec) {
        return describe_case(spec.workload, spec.threads, format_parameters(spec.parameters));
    });
    document["external"] = external_commands(facts.trials);
    document["strategies"] = distinct(facts.trials, [](const TrialSpec& spec) {
        const Strategy& strategy = spec.strategy;
        return describe_strategy({strategy.cpus, format_cpu_list(strategy.mask), strategy.policy, strategy.bind,
                                  strategy.memory, strategy.migration, strategy.balance});
    });
    document["programs"] = facts.programs;
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::string> experiment_difference(std::string_view before, std::string_view now) {
    const auto old_document = parse_object(before, "experiment.json");
    if (!old_document) return tl::unexpected<Error>(old_document.error());
    return difference(old_document->flatten(), Json::parse(now).flatten());
}

Result<std::string> machine_difference(std::string_view before, std::string_view now) {
    const auto old_document = parse_object(before, "machine.json");
    if (!old_document) return tl::unexpected<Error>(old_document.error());
    const Json new_document = Json::parse(now);
    return difference(lasting_part(*old_document, new_document).flatten(),
                      lasting_part(new_document, *old_document).flatten());
}

}  // namespace pinwise
