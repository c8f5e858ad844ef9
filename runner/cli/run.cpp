#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "placer/topology/load_machine.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/decimal_number.hpp"
#include "runner/cli/experiment_plan.hpp"
#include "runner/cli/progress.hpp"
#include "runner/cli/terminal_colour.hpp"
#include "runner/compare/table.hpp"
#include "runner/config/config_as_run.hpp"
#include "runner/config/config_files.hpp"
#include "runner/host/labelling_executor.hpp"
#include "runner/record/experiment_record.hpp"
#include "runner/record/label_facts.hpp"
#include "runner/record/machine_record.hpp"
#include "runner/record/results_folder.hpp"
#include "runner/trial/binding_variables.hpp"
#include "runner/trial/expand.hpp"
#include "runner/trial/interrupt.hpp"
#include "runner/trial/migration_executor.hpp"
#include "runner/trial/process_executor.hpp"
#include "runner/trial/run_trials.hpp"

namespace pinwise::cli {
namespace {

constexpr int settle_ms = 50;

struct RunOptions {
    std::string config = "quick";
    std::string output;
    std::optional<std::string> resume;
    std::vector<std::string> settings;
    std::optional<std::int64_t> seed;
    std::optional<int> repetitions;
    bool dry_run = false;
    bool quiet = false;
};

/// --set, --seed and --repetitions.
Result<std::vector<Setting>> settings_of(const RunOptions& options) {
    std::vector<Setting> settings;
    for (const std::string& text : options.settings) {
        auto setting = parse_setting(text);
        if (!setting) return tl::unexpected<Error>(setting.error());
        settings.push_back(*std::move(setting));
    }
    if (options.seed) settings.push_back({"seed", fmt::format("{}", *options.seed)});
    if (options.repetitions) settings.push_back({"repetitions", fmt::format("{}", *options.repetitions)});
    return settings;
}

/// Prints what would run. What the machine lacks is said as well, and is no success.
Result<int> dry_run(ExperimentPlan plan) {
    const auto met = check_requirements(plan.experiment, plan.machine);
    const std::string unmet = met ? "" : met.error().message + "; ";
    if (const auto added = add_trials(plan); !added) return usage_error(unmet + added.error().message);
    if (const auto printed = print_trials(plan); !printed) return tl::unexpected<Error>(printed.error());
    if (has_kernel_migration(plan.trials))
        if (const std::string why = why_balancing_cannot_be_set(); !why.empty())
            fmt::print("note: trials with migration kernel would fail here: {}\n", why);
    if (!met) return tl::unexpected<Error>(met.error());
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

Result<RunDescription> describe_run(const ExperimentPlan& plan, const std::string& folder, const RunFacts& facts) {
    const auto programs = program_fingerprints(plan);
    if (!programs) return tl::unexpected<Error>(programs.error());
    auto topology = topology_xml("live");
    if (!topology) return tl::unexpected<Error>(topology.error());
    return RunDescription{config_for_folder(plan, folder),
                          experiment_record({plan.trials, plan.seed, plan.experiment.repetitions, *programs}),
                          machine_record(plan.machine, facts), *std::move(topology)};
}

/// A new folder, or the one to go on in.
Result<ResultsFolder> open_folder(const ExperimentPlan& plan, const RunOptions& options,
                                  const RunDescription& description, const std::string& path) {
    if (!options.resume) return ResultsFolder::create(path, description);
    auto folder = ResultsFolder::reopen(path);
    if (!folder) return folder;
    if (const auto same = folder->check_same(description); !same) return tl::unexpected<Error>(same.error());
    if (folder->finished().size() < plan.trials.size())
        if (const auto added = folder->add_machine(description.machine_json); !added)
            return tl::unexpected<Error>(added.error());
    return folder;
}

/// The table comes from the files, not from memory: what is printed can be printed again.
Result<void> print_tables(const ResultsFolder& folder) {
    const auto table = parse_trials_csv(file_text(folder.trials_file()), folder.trials_file());
    if (!table) return tl::unexpected<Error>(table.error());
    fmt::print("\n{}", format_tables(compare(table->rows),
                                     {.machine_kind = recorded_machine_kind(file_text(folder.machine_file())),
                                      .colour = stdout_takes_colour()}));
    return {};
}

/// Tables, the folder, and the exit status.
Result<int> conclude(const RunOutcome& outcome, std::size_t trials, const ResultsFolder& folder) {
    if (outcome.done > 0 || !folder.finished().empty()) {
        if (const auto printed = print_tables(folder); !printed) return tl::unexpected<Error>(printed.error());
    }
    fmt::print("\nresults: {}\n", folder.path());
    std::fflush(stdout);
    if (outcome.interrupted)
        fmt::print(stderr,
                   "pinwise: interrupted after {} of {} trials; they are on disk (pinwise run --resume {} goes on)\n",
                   folder.finished().size() + static_cast<std::size_t>(outcome.done), trials, folder.path());
    if (outcome.failed > 0)
        fmt::print(stderr, "pinwise: {} of {} trials failed; the reasons are in {}\n", outcome.failed, trials,
                   folder.trials_file());
    if (outcome.interrupted) return 128 + InterruptWatch::signal_number();
    return outcome.failed > 0 ? 1 : 0;
}

Result<RunOutcome> execute(const ExperimentPlan& plan, Progress::Style style, Executor& executor,
                           ResultsFolder& folder) {
    Progress progress(style, static_cast<int>(plan.trials.size()));
    const TrialCallbacks callbacks{
        .before = [&](const TrialSpec& spec) { progress.before(spec); },
        .record = [&](const TrialSpec& spec,
                      const TrialResult& result) { return folder.record(plan.machine, spec, result); },
        .after = [&](const TrialSpec& spec, const TrialResult& result) { progress.after(spec, result); },
    };
    std::vector<TrialSpec> remaining = plan.trials;
    std::erase_if(remaining, [&](const TrialSpec& spec) { return folder.finished().contains(spec.trial); });
    auto outcome = run_trials(remaining, executor, callbacks);
    progress.finish();
    return outcome;
}

void print_start(const ExperimentPlan& plan, const ResultsFolder& folder) {
    const std::string before =
        folder.finished().empty() ? "" : fmt::format(" ({} of them are there already)", folder.finished().size());
    fmt::print("{}{}{} trial{}{}, seed {}, results in {}\n", machine_summary(plan.machine), one_node_note(plan.machine),
               plan.trials.size(), plan.trials.size() == 1 ? "" : "s", before, plan.seed, folder.path());
    std::fflush(stdout);
}

Result<int> run_plan(const ExperimentPlan& plan, const RunOptions& options, RunFacts facts) {
    const auto interrupt = InterruptWatch::install();
    if (!interrupt) return tl::unexpected<Error>(interrupt.error());
    auto trace = SchedTrace::open(SchedTrace::Scope::new_threads_of_descendants);
    if (!trace) facts.first_cpu_tracing = trace.error().message;
    facts.seed = plan.seed;
    facts.started_at = utc_now();
    const std::string path = options.resume           ? *options.resume
                             : options.output.empty() ? default_results_path(plan.experiment.name)
                                                      : options.output;
    const auto description = describe_run(plan, path, facts);
    if (!description) return tl::unexpected<Error>(description.error());
    auto folder = open_folder(plan, options, *description, path);
    if (!folder) return tl::unexpected<Error>(folder.error());
    if (!options.quiet) print_start(plan, *folder);
    // Before the executor, which adopts orphans: the process that puts the kernel's value back must not be one of them.
    std::optional<Result<KernelBalancing>> balancing;
    if (has_kernel_migration(plan.trials)) balancing.emplace(KernelBalancing::open());
    ProcessExecutor runs(plan.machine, {.output_folder = folder->output_folder(),
                                        .workload_path = plan.experiment.workload_path,
                                        .interrupt_fd = interrupt->fd(),
                                        .trace = trace ? &*trace : nullptr,
                                        .settle_ms = settle_ms});
    MigrationExecutor migrating(runs, std::move(balancing));
    Executor& trials = has_migration(plan.trials) ? static_cast<Executor&>(migrating) : runs;
    LabellingExecutor executor(trials, plan.machine, label_facts(plan.machine, description->machine_json));
    const auto outcome =
        execute(plan, options.quiet ? Progress::Style::none : Progress::style_of_stderr(), executor, *folder);
    for (const std::string& problem : runs.clean_up())
        fmt::print(stderr, "pinwise: {}\n", problem);
    if (!outcome)
        return failure(fmt::format("{0}; trials recorded before are in {1} (pinwise run --resume {1} goes on)",
                                   outcome.error().message, folder->path()));
    return conclude(*outcome, plan.trials.size(), *folder);
}

Result<int> run(const RunOptions& options) {
    RunFacts facts;
    facts.removed_variables = remove_binding_variables();
    facts.openmp_variables = openmp_variables();
    auto settings = settings_of(options);
    if (!settings) return tl::unexpected<Error>(settings.error());
    const auto file = options.resume ? Result<std::string>(*options.resume + "/config.toml")
                                     : find_config(options.config, config_folders());
    if (!file) return tl::unexpected<Error>(file.error());
    auto plan = read_plan(*file, *std::move(settings));
    if (!plan) return tl::unexpected<Error>(plan.error());
    if (options.dry_run) return dry_run(*std::move(plan));
    if (const auto met = check_requirements(plan->experiment, plan->machine); !met)
        return tl::unexpected<Error>(met.error());
    if (const auto added = add_trials(*plan); !added) return tl::unexpected<Error>(added.error());
    return run_plan(*plan, options, std::move(facts));
}

}  // namespace

void add_run(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* const command = app.add_subcommand(
        "run", "Run an experiment: workloads under the OS default and under placement, then compare them");
    CLI::Option* const config =
        command
            ->add_option("config", options->config,
                         "TOML file, or the name of one in configs/ (docs/config.md lists the keys)")
            ->capture_default_str();
    CLI::Option* const output = command->add_option(
        "-o,--output", options->output, "Folder for the results; new or empty (default: results/NAME-TIME)");
    CLI::Option* const set =
        command
            ->add_option("--set", options->settings,
                         "KEY=VALUE: wins over the config, for the top level and every table that has the key; any "
                         "number of times")
            ->allow_extra_args(false);  // a list would swallow the config's name
    CLI::Option* const seed =
        command
            ->add_option("--seed", options->seed,
                         "Seed of the order of trials (default: the config's, else drawn; it is recorded)")
            ->check(decimal_number());
    CLI::Option* const repetitions =
        command->add_option("--repetitions", options->repetitions, "Trials of every strategy (default: the config's)")
            ->check(decimal_number())
            ->check(CLI::Range(1, 100000));
    CLI::Option* const resume =
        command->add_option("--resume", options->resume,
                            "Go on with the run of this results folder, in its order; refused when its config, "
                            "programs or the machine have changed");
    for (CLI::Option* const other : {config, output, set, seed, repetitions})
        resume->excludes(other);
    command->add_flag("--dry-run", options->dry_run,
                      "Print the trials in their order, with mask, policy, threads and command, and run none");
    command->add_flag("-q,--quiet", options->quiet, "No progress and no machine summary, only the tables");
    command->footer(
        "Exit status: 0 every trial finished, 1 a trial failed or results could not be written, 2 a mistake in the "
        "command or the config, or a machine that does not meet its requirements, "
        "128 + signal when interrupted.\n\n"
        "Examples:\n"
        "  pinwise run                                  the experiment quick.toml\n"
        "  pinwise run my.toml --dry-run                what would run, in which order\n"
        "  pinwise run my.toml --set threads=4          the same with another value\n"
        "  pinwise run my.toml --seed 7 -o results/a    repeat a recorded order\n"
        "  pinwise run --resume results/a               go on after an interruption");
    command->callback([options, &outcome] {
        const auto status = run(*options);
        if (!status) return report(status.error(), outcome);
        outcome.status = *status;
    });
}

}  // namespace pinwise::cli
