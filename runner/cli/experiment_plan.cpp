#include "runner/cli/experiment_plan.hpp"

#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "placer/agent/agent_library.hpp"
#include "placer/agent/program_file.hpp"
#include "placer/memory/memory_policy.hpp"
#include "placer/topology/cpu_list.hpp"
#include "placer/topology/load_machine.hpp"
#include "runner/config/config_as_run.hpp"
#include "runner/config/config_files.hpp"
#include "runner/config/load_experiment.hpp"
#include "runner/record/file_fingerprint.hpp"
#include "runner/trial/expand.hpp"
#include "runner/trial/order.hpp"
#include "runner/trial/process_executor.hpp"

namespace pinwise::cli {
namespace {

namespace fs = std::filesystem;

/// As a shell would take it back.
std::string shell_word(const std::string& word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    quoted.push_back('\'');
    return quoted;
}

std::string shell_line(const std::vector<std::string>& command) {
    std::vector<std::string> words;
    words.reserve(command.size());
    for (const std::string& word : command)
        words.push_back(shell_word(word));
    return fmt::format("{}", fmt::join(words, " "));
}

std::string longest_time(const ExperimentPlan& plan) {
    const auto seconds =
        static_cast<std::int64_t>(std::ceil(plan.experiment.timeout_s * static_cast<double>(plan.trials.size())));
    return fmt::format("{} h {:02} min {:02} s", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace

Result<ExperimentPlan> read_plan(const std::string& file, std::vector<Setting> settings) {
    auto text = read_config_file(file);
    if (!text) return tl::unexpected<Error>(text.error());
    auto experiment = parse_experiment(*text, file, settings);
    if (!experiment) return tl::unexpected<Error>(experiment.error());
    auto machine = load_machine("live");
    if (!machine) return tl::unexpected<Error>(machine.error());
    const std::uint64_t seed = experiment->seed ? *experiment->seed : draw_seed();
    return ExperimentPlan{*std::move(text), std::move(settings), *std::move(experiment), *std::move(machine), seed, {}};
}

Result<void> add_trials(ExperimentPlan& plan) {
    auto trials = expand(plan.experiment, plan.machine, allowed_memory_nodes());
    if (!trials) return tl::unexpected<Error>(trials.error());
    plan.trials = interleaved_order(*std::move(trials), plan.seed);
    return {};
}

std::string config_for_folder(const ExperimentPlan& plan, const std::string& folder) {
    std::vector<Setting> settings = plan.settings;
    settings.push_back({"repetitions", fmt::format("{}", plan.experiment.repetitions)});
    settings.push_back({"seed", fmt::format("{}", plan.seed)});
    const std::string config_folder = fs::path(plan.experiment.file).parent_path().string();
    return config_seen_from(folder, config_folder, config_as_run(plan.config_text, settings));
}

Result<std::map<std::string, std::string>> program_fingerprints(const ExperimentPlan& plan) {
    std::set<std::string> files{"/proc/self/exe"};
    for (const TrialSpec& spec : plan.trials) {
        const auto command = trial_command(spec, plan.experiment.workload_path, "FILE");
        if (!command) return tl::unexpected<Error>(command.error());
        const ProgramFile program = find_program(command->front());
        // A program of the user's that is not there yet may be made by its setup.
        if (program.state == ProgramState::found) files.insert(program.path);
    }
    const auto agent = find_agent_library();
    if (!agent) return tl::unexpected<Error>(agent.error());
    files.insert(*agent);
    std::map<std::string, std::string> fingerprints;
    for (const std::string& file : files) {
        const auto print = file_fingerprint(file);
        if (!print) return tl::unexpected<Error>(print.error());
        fingerprints[file == "/proc/self/exe" ? "pinwise" : fs::path(file).filename().string()] = *print;
    }
    return fingerprints;
}

Result<void> print_trials(const ExperimentPlan& plan) {
    for (const TrialSpec& spec : plan.trials) {
        const auto command = trial_command(spec, plan.experiment.workload_path, "FILE");
        if (!command) return tl::unexpected<Error>(command.error());
        const Strategy& strategy = spec.strategy;
        fmt::print(
            "{:4}  trial {}, repetition {}, policy {}, bind {}, memory {}, migration {}, balance {}, mask {} ({}), {} "
            "threads: {}\n",
            spec.position, spec.trial, spec.repetition, strategy.policy, strategy.bind, strategy.memory,
            strategy.migration, strategy.balance, format_cpu_list(strategy.mask), strategy.cpus, spec.threads,
            shell_line(*command));
    }
    fmt::print("{} trials, seed {}, at most {} (every trial at its timeout of {:g} s)\n", plan.trials.size(), plan.seed,
               longest_time(plan), plan.experiment.timeout_s);
    fmt::print("to run them in this order: --seed {}\n", plan.seed);
    return {};
}

}  // namespace pinwise::cli
