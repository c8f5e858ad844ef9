#include "runner/validate/records_check.hpp"

#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "placer/topology/cpu_list.hpp"
#include "placer/topology/load_machine.hpp"
#include "runner/config/load_experiment.hpp"
#include "runner/record/experiment_record.hpp"
#include "runner/record/results_folder.hpp"

namespace pinwise {
namespace {

using nlohmann::json;

std::optional<json> read_object(const std::string& file, Problems& problems) {
    if (!std::filesystem::is_regular_file(file)) {
        problems.add(file, 0, "is missing");
        return std::nullopt;
    }
    json document = json::parse(file_text(file), nullptr, false);
    if (document.is_object()) return document;
    problems.add(file, 0, "is no JSON object");
    return std::nullopt;
}

void check_count(const json& document, const char* key, std::size_t count, const std::string& file,
                 Problems& problems) {
    const json value = document.value(key, json());
    if (value != count) problems.add(file, 0, "{} is {}, topology.xml has {}", key, value.dump(), count);
}

/// What is null has a reason, and what has a reason is null.
void check_absences(const json& document, const std::string& file, Problems& problems) {
    const json absent = document.value("absent", json::object());
    for (const auto& [key, value] : document.items())
        if (value.is_null() != absent.contains(key))
            problems.add(file, 0, "{} {}", key,
                         value.is_null() ? "is null without a reason" : "is there and said to be absent");
}

std::optional<Machine> read_topology(const std::string& folder, Problems& problems) {
    auto machine = load_machine(folder + "/topology.xml");
    if (machine) return *std::move(machine);
    problems.add(folder + "/topology.xml", 0, machine.error().message);
    return std::nullopt;
}

/// Texts of a list in experiment.json.
std::set<std::string> texts_of(const json& document, const char* key) {
    std::set<std::string> texts;
    for (const json& each : document.value(key, json::array()))
        if (each.is_string()) texts.insert(each.get<std::string>());
    return texts;
}

void check_config(const std::string& folder, const json& experiment, Problems& problems) {
    const std::string file = folder + "/config.toml";
    const auto parsed = parse_experiment(file_text(file), file);
    if (!parsed) return problems.add("", 0, parsed.error().message);
    if (parsed->seed != experiment.value("seed", std::uint64_t{0}))
        problems.add(file, 0, "its seed is not that of experiment.json");
    if (parsed->repetitions != experiment.value("repetitions", 0))
        problems.add(file, 0, "its repetitions are not those of experiment.json");
}

}  // namespace

std::optional<Machine> check_machine(const std::string& folder, Problems& problems) {
    const std::string file = folder + "/machine.json";
    auto machine = read_topology(folder, problems);
    const auto document = read_object(file, problems);
    if (!document || !machine) return machine;
    if (document->value("schema", 0) != 1) problems.add(file, 0, "schema is not 1");
    check_absences(*document, file, problems);
    check_count(*document, "packages", machine->packages.size(), file, problems);
    check_count(*document, "nodes", machine->nodes.size(), file, problems);
    check_count(*document, "llcs", machine->llcs.size(), file, problems);
    check_count(*document, "cores", machine->cores.size(), file, problems);
    const auto allowed = parse_cpu_list(document->value("cpus_allowed", std::string()));
    if (!allowed) {
        problems.add(file, 0, "cpus_allowed is no CPU list");
        return machine;
    }
    const CpuSet allowed_cpus = CpuSet::of(*allowed);
    if (!allowed_cpus.is_subset_of(machine->online))
        problems.add(file, 0, "cpus_allowed has CPUs that are not in topology.xml");
    machine->allowed = allowed_cpus;
    return machine;
}

void check_experiment(const std::string& folder, const CheckedTrials& trials, Problems& problems) {
    const std::string file = folder + "/experiment.json";
    const auto document = read_object(file, problems);
    if (!document) return;
    check_config(folder, *document, problems);
    const auto cases = texts_of(*document, "cases");
    const auto strategies = texts_of(*document, "strategies");
    const std::string trials_file = folder + "/trials.csv";
    for (const auto& [row, line, has_last_row] : trials) {
        if (!cases.contains(describe_case(row.workload, row.threads, row.parameters)))
            problems.add(trials_file, line, "trial {}: its workload is none of experiment.json", row.trial);
        if (!strategies.contains(
                describe_strategy({row.cpus, row.mask, row.policy, row.bind, row.memory, row.migration, row.balance})))
            problems.add(trials_file, line, "trial {}: its strategy is none of experiment.json", row.trial);
        if (!has_last_row) problems.add(trials_file, line, "trial {} has no row sys: it was not finished", row.trial);
    }
    const auto planned = document->value("trials", std::size_t{0});
    if (trials.size() < planned)
        problems.add(trials_file, 0, "{} of {} trials: the run was ended early (pinwise run --resume {} goes on)",
                     trials.size(), planned, folder);
    if (trials.size() > planned)
        problems.add(trials_file, 0, "{} trials, experiment.json has {}", trials.size(), planned);
}

}  // namespace pinwise
