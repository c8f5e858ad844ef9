#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "placer/topology/cpu_list.hpp"
#include "placer/topology/load_machine.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/decimal_number.hpp"
#include "runner/cli/progress.hpp"
#include "runner/compare/table.hpp"
#include "runner/config/load_experiment.hpp"
#include "runner/record/machine_record.hpp"
#include "runner/record/results_folder.hpp"
#include "runner/trial/binding_variables.hpp"
#include "runner/trial/expand.hpp"
#include "runner/trial/interrupt.hpp"
#include "runner/trial/order.hpp"
#include "runner/trial/process_executor.hpp"
#include "runner/trial/run_trials.hpp"

namespace pinwise::cli {
namespace {

namespace fs = std::filesystem;

constexpr int settle_ms = 50;

struct RunOptions {
    std::string config = "quick";
    std::string output;
    std::optional<std::int64_t> seed;
    std::optional<int> repetitions;
    bool dry_run = false;
    bool quiet = false;
};

/// Everything that is decided before the first trial.
struct Plan {
    std::string config_text;
    Experiment experiment;
    Machine machine;
    std::uint64_t seed = 0;
    int repetitions = 0;
    std::vector<TrialSpec> trials;  ///< in the order they run in
};

/// A path, or the name of one of the configs that come with pinwise.
std::string find_config(const std::string& name) {
    std::error_code error;
    std::vector<fs::path> folders{"configs"};
    if (const fs::path self = fs::read_symlink("/proc/self/exe", error); !error) {
        const fs::path prefix = self.parent_path().parent_path();
        folders.push_back(prefix / "share" / "pinwise" / "configs");        // installed
        folders.push_back(prefix.parent_path().parent_path() / "configs");  // build/PRESET of the source tree
    }
    if (fs::exists(name, error)) return name;
    for (const fs::path& folder : folders) {
        for (const std::string_view ending : {"", ".toml"}) {
            const fs::path candidate = folder / (name + std::string(ending));
            if (fs::is_regular_file(candidate, error)) return candidate.string();
        }
    }
    return name;
}

Result<Plan> make_plan(const RunOptions& options) {
    const std::string file = find_config(options.config);
    auto text = read_config_file(file);
    if (!text) return tl::unexpected<Error>(text.error());
    auto experiment = parse_experiment(*text, file);
    if (!experiment) return tl::unexpected<Error>(experiment.error());
    auto machine = load_machine("live");
    if (!machine) return tl::unexpected<Error>(machine.error());
    Plan plan{*std::move(text), *std::move(experiment), *std::move(machine), 0, 0, {}};
    plan.seed = options.seed           ? static_cast<std::uint64_t>(*options.seed)
                : plan.experiment.seed ? *plan.experiment.seed
                                       : draw_seed();
    plan.repetitions = options.repetitions.value_or(plan.experiment.repetitions);
    Experiment as_run = plan.experiment;
    as_run.repetitions = plan.repetitions;
    auto trials = expand(as_run, plan.machine, allowed_memory_nodes());
    if (!trials) return tl::unexpected<Error>(trials.error());
    plan.trials = interleaved_order(*std::move(trials), plan.seed);
    return plan;
}

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

std::string longest_time(const Plan& plan) {
    const auto seconds =
        static_cast<std::int64_t>(std::ceil(plan.experiment.timeout_s * static_cast<double>(plan.trials.size())));
    return fmt::format("{} h {:02} min {:02} s", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

Result<int> print_dry_run(const Plan& plan) {
    for (const TrialSpec& spec : plan.trials) {
        const auto command = trial_command(spec, plan.experiment.workload_path, "FILE");
        if (!command) return tl::unexpected<Error>(command.error());
        fmt::print(
            "{:4}  trial {}, repetition {}, policy {}, bind {}, memory {}, migration {}, balance {}, mask {} ({}), {} "
            "threads: {}\n",
            spec.position, spec.trial, spec.repetition, spec.strategy.policy, spec.strategy.bind, spec.strategy.memory,
            spec.strategy.migration, spec.strategy.balance, format_cpu_list(spec.strategy.mask), spec.strategy.cpus,
            spec.threads, shell_line(*command));
    }
    fmt::print("{} trials, seed {}, at most {} (every trial at its timeout of {:g} s)\n", plan.trials.size(), plan.seed,
               longest_time(plan), plan.experiment.timeout_s);
    fmt::print("to run them in this order: --seed {}\n", plan.seed);
    return 0;
}

/// What this machine cannot show, in one line; "" when it can show everything.
std::string one_node_note(const Machine& machine) {
    int cpu_nodes = 0;
    for (const Node& node : machine.nodes)
        cpu_nodes += node.cpus.intersects(machine.allowed) ? 1 : 0;
    if (cpu_nodes > 1) return {};
    return "note: one NUMA node here, so no strategy can differ in which node threads and pages are on; to see that, "
           "use the lab (virtual machines "
           "with many nodes) or a saved topology: pinwise place --threads 8 --policy idlest --topology FILE.xml\n";
}

Result<ResultsFolder> create_folder(const Plan& plan, const RunOptions& options, const RunFacts& facts) {
    auto topology = topology_xml("live");
    if (!topology) return tl::unexpected<Error>(topology.error());
    const std::string path = options.output.empty() ? default_results_path(plan.experiment.name) : options.output;
    return ResultsFolder::create(path, {config_as_run(plan.config_text, plan.experiment, plan.seed, plan.repetitions),
                                        machine_record(plan.machine, facts), *std::move(topology)});
}

std::string file_text(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// The table comes from the files, not from memory: what is printed can be printed again.
Result<void> print_tables(const ResultsFolder& folder) {
    const auto table = parse_trials_csv(file_text(folder.trials_file()), folder.trials_file());
    if (!table) return tl::unexpected<Error>(table.error());
    fmt::print("\n{}", format_tables(compare(table->rows), recorded_machine_kind(file_text(folder.machine_file()))));
    return {};
}

/// A program that is missing is known before the first trial.
Result<void> check_programs(const Plan& plan) {
    for (const TrialSpec& spec : plan.trials) {
        const auto command = trial_command(spec, plan.experiment.workload_path, "FILE");
        if (!command) return tl::unexpected<Error>(command.error());
    }
    return {};
}

Result<RunOutcome> execute(const Plan& plan, Progress::Style style, Executor& executor, ResultsFolder& folder) {
    Progress progress(style, static_cast<int>(plan.trials.size()));
    const TrialCallbacks callbacks{
        .before = [&](const TrialSpec& spec) { progress.before(spec); },
        .record = [&](const TrialSpec& spec,
                      const TrialResult& result) { return folder.record(plan.machine, spec, result); },
        .after = [&](const TrialSpec& spec, const TrialResult& result) { progress.after(spec, result); },
    };
    auto outcome = run_trials(plan.trials, executor, callbacks);
    progress.finish();
    return outcome;
}

/// Tables, the folder, and the exit status.
Result<int> conclude(const RunOutcome& outcome, std::size_t trials, const ResultsFolder& folder) {
    if (outcome.done > 0) {
        if (const auto printed = print_tables(folder); !printed) return tl::unexpected<Error>(printed.error());
    }
    fmt::print("\nresults: {}\n", folder.path());
    std::fflush(stdout);
    if (outcome.interrupted)
        fmt::print(stderr, "pinwise: interrupted after {} of {} trials; they are on disk\n", outcome.done, trials);
    if (outcome.failed > 0)
        fmt::print(stderr, "pinwise: {} of {} trials failed; the reasons are in {}\n", outcome.failed, trials,
                   folder.trials_file());
    if (outcome.interrupted) return 128 + InterruptWatch::signal_number();
    return outcome.failed > 0 ? 1 : 0;
}

Result<int> run_plan(const Plan& plan, const RunOptions& options, RunFacts facts) {
    if (const auto found = check_programs(plan); !found) return tl::unexpected<Error>(found.error());
    const auto interrupt = InterruptWatch::install();
    if (!interrupt) return tl::unexpected<Error>(interrupt.error());
    auto trace = SchedTrace::open(SchedTrace::Scope::new_threads_of_descendants);
    if (!trace) facts.first_cpu_tracing = trace.error().message;
    facts.seed = plan.seed;
    facts.started_at = utc_now();
    auto folder = create_folder(plan, options, facts);
    if (!folder) return tl::unexpected<Error>(folder.error());
    if (!options.quiet) {
        fmt::print("{}{}{} trials, seed {}, results in {}\n", machine_summary(plan.machine),
                   one_node_note(plan.machine), plan.trials.size(), plan.seed, folder->path());
        std::fflush(stdout);
    }
    ProcessExecutor executor(plan.machine, {.output_folder = folder->output_folder(),
                                            .workload_path = plan.experiment.workload_path,
                                            .interrupt_fd = interrupt->fd(),
                                            .trace = trace ? &*trace : nullptr,
                                            .settle_ms = settle_ms});
    const auto outcome =
        execute(plan, options.quiet ? Progress::Style::none : Progress::style_of_stderr(), executor, *folder);
    for (const std::string& problem : executor.clean_up())
        fmt::print(stderr, "pinwise: {}\n", problem);
    if (!outcome)
        return failure(fmt::format("{}; trials recorded before are in {}", outcome.error().message, folder->path()));
    return conclude(*outcome, plan.trials.size(), *folder);
}

Result<int> run(const RunOptions& options) {
    RunFacts facts;
    facts.removed_variables = remove_binding_variables();
    facts.openmp_variables = openmp_variables();
    const auto plan = make_plan(options);
    if (!plan) return tl::unexpected<Error>(plan.error());
    return options.dry_run ? print_dry_run(*plan) : run_plan(*plan, options, std::move(facts));
}

}  // namespace

void add_run(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* const command = app.add_subcommand(
        "run", "Run an experiment: workloads under the OS default and under placement, then compare them");
    command
        ->add_option("config", options->config,
                     "TOML file, or the name of one in configs/ (docs/config.md lists the keys)")
        ->capture_default_str();
    command->add_option("-o,--output", options->output,
                        "Folder for the results; new or empty (default: results/NAME-TIME)");
    command
        ->add_option("--seed", options->seed,
                     "Seed of the order of trials (default: the config's, else drawn; it is recorded)")
        ->check(decimal_number());
    command->add_option("--repetitions", options->repetitions, "Trials of every strategy (default: the config's)")
        ->check(decimal_number())
        ->check(CLI::Range(1, 100000));
    command->add_flag("--dry-run", options->dry_run,
                      "Print the trials in their order, with mask, policy, threads and command, and run none");
    command->add_flag("-q,--quiet", options->quiet, "No progress and no machine summary, only the tables");
    command->footer(
        "Exit status: 0 every trial finished, 1 a trial failed or results could not be written, 2 a mistake in the "
        "command or the config, "
        "128 + signal when interrupted.\n\n"
        "Examples:\n"
        "  pinwise run                                  the experiment quick.toml\n"
        "  pinwise run my.toml --dry-run                what would run, in which order\n"
        "  pinwise run my.toml --seed 7 -o results/a    repeat a recorded order");
    command->callback([options, &outcome] {
        const auto status = run(*options);
        if (!status) return report(status.error(), outcome);
        outcome.status = *status;
    });
}

}  // namespace pinwise::cli
