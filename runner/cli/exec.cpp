#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "placer/agent/launch.hpp"
#include "placer/agent/session.hpp"
#include "placer/agent/session_memory.hpp"
#include "placer/attach/attach_choice.hpp"
#include "placer/attach/tracer.hpp"
#include "placer/balance/balance_choice.hpp"
#include "placer/balance/session_balancer.hpp"
#include "placer/memory/memory_policy.hpp"
#include "placer/policy/policies.hpp"
#include "placer/policy/running_rule.hpp"
#include "placer/quoted.hpp"
#include "placer/topology/load_machine.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/cpu_options.hpp"
#include "runner/cli/foreground.hpp"
#include "runner/cli/record_file.hpp"
#include "runner/cli/scan_options.hpp"
#include "runner/cli/session_record.hpp"
#include "runner/cli/session_verdict.hpp"
#include "runner/record/moves_csv.hpp"
#include "runner/trial/binding_variables.hpp"

namespace pinwise::cli {

namespace {

/// Exit statuses of shells for a command that cannot be run.
constexpr int status_not_executable = 126;
constexpr int status_not_found = 127;

constexpr int max_skipped = 1'000'000;

struct ExecOptions {
    CpuOptions cpus;
    std::string policy = "idlest";
    std::string bind = "initial";
    std::string attach = "auto";
    std::optional<std::string> memory;
    std::string balance;  ///< percent; empty: no balancer
    std::string moves;
    int skip = 0;
    bool force = false;
    bool observe = false;
    ScanOptions scan;
    bool verify = false;
    std::string record;
    bool overwrite = false;
    std::string program;
    std::vector<std::string> command;  ///< program and arguments
};

/// Everything that can be refused before the program starts.
struct Plan {
    Session session;
    CpuSet allowed;
    std::optional<MemoryPolicy> memory;
    RecordFile record;
    RecordFile moves;
    RecordFile scan_log;
    std::unique_ptr<Tracer> tracer;             ///< null: the agent is preloaded
    std::unique_ptr<SessionBalancer> balancer;  ///< null: nobody moves threads but the kernel
};

Result<Attach> choose_attach(const ExecOptions& options) {
    const auto wish = parse_attach(options.attach);
    if (!wish) return tl::unexpected(wish.error());
    const auto policy = make_policy(options.policy);
    if (!policy) return tl::unexpected(policy.error());
    auto attach = pinwise::choose_attach(*wish, options.command.front(), (*policy)->places_threads());
    if (attach && *attach == Attach::ptrace && options.force) {
        return usage_error(fmt::format("--force works from inside a program only, and {} is followed with ptrace",
                                       printable(options.command.front())));
    }
    if (attach && *attach == Attach::ptrace && options.scan.mode != "off") {
        return usage_error(fmt::format("--scan works from inside a program only, and {} is followed with ptrace",
                                       printable(options.command.front())));
    }
    return attach;
}

Result<std::unique_ptr<Tracer>> make_tracer(const Session& session, Attach attach) {
    if (attach == Attach::preload) return nullptr;
    auto memory = session.map_memory();
    if (!memory) return tl::unexpected(memory.error());
    return Tracer::create(std::move(*memory));
}

Result<std::optional<MemoryPolicy>> memory_policy(const ExecOptions& options, const Machine& machine) {
    if (!options.memory) return std::nullopt;
    if (options.scan.mode != "off" && *options.memory != "first-touch") {
        return usage_error(fmt::format("--mem {} and --scan work against each other: leave one of them out",
                                       printable(*options.memory)));
    }
    auto policy = parse_memory_policy(*options.memory);
    if (policy) policy = resolve_memory_policy(*std::move(policy), machine, allowed_memory_nodes());
    if (!policy) return usage_error(fmt::format("--mem: {}", policy.error().message));
    return *std::move(policy);
}

Result<SessionOptions> session_options(const ExecOptions& options, const CpuSet& allowed) {
    const auto bind = parse_bind(options.bind);
    if (!bind) return tl::unexpected(bind.error());
    const auto scan = scan_settings(options.scan);
    if (!scan) return usage_error(fmt::format("--scan: {}", scan.error().message));
    const bool balanced = !options.balance.empty();
    const auto cross_node_bal = balanced ? parse_cross_node_bal(options.balance) : Result<int>(0);
    if (!cross_node_bal) return usage_error(fmt::format("--balance: {}", cross_node_bal.error().message));
    return SessionOptions{.policy = options.policy,
                          .bind = balanced ? bind_under_balancer(*bind) : *bind,
                          .allowed = allowed,
                          .force = options.force,
                          .count_others = options.observe || balanced,
                          .scan = *scan,
                          .scan_anyway = options.scan.anyway,
                          .skipped_births = options.skip,
                          .cross_node_bal = *cross_node_bal};
}

Result<std::unique_ptr<SessionBalancer>> make_balancer(const ExecOptions& options, const Session& session) {
    if (options.balance.empty()) {
        if (!options.moves.empty()) return usage_error("--moves records what --balance does: add --balance");
        return nullptr;
    }
    const auto percent = parse_cross_node_bal(options.balance);
    if (!percent) return usage_error(fmt::format("--balance: {}", percent.error().message));
    const auto policy = make_policy(options.policy);
    if (!policy) return tl::unexpected(policy.error());
    if (!(*policy)->places_threads()) {
        return usage_error(
            fmt::format("--balance brings threads back to the node they were placed on, and --policy {} places none",
                        options.policy));
    }
    auto memory = session.map_memory();
    if (!memory) return tl::unexpected(memory.error());
    return SessionBalancer::create(std::move(*memory), *percent);
}

/// Nothing when the user named no file.
Result<RecordFile> open_file(std::string_view option, const std::string& path, bool overwrite) {
    return path.empty() ? RecordFile() : RecordFile::open(option, path, overwrite);
}

Result<Plan> make_plan(const ExecOptions& options) {
    const auto attach = choose_attach(options);
    if (!attach) return tl::unexpected(attach.error());
    const auto machine = load_machine("live");
    if (!machine) return tl::unexpected(machine.error());
    auto allowed = allowed_cpus(*machine, options.cpus);
    if (!allowed) return tl::unexpected(allowed.error());
    auto memory = memory_policy(options, *machine);
    if (!memory) return tl::unexpected(memory.error());
    const auto wanted = session_options(options, *allowed);
    if (!wanted) return tl::unexpected(wanted.error());
    auto session = Session::create(*machine, *wanted);
    if (!session) return tl::unexpected(session.error());
    auto tracer = make_tracer(*session, *attach);
    if (!tracer) return tl::unexpected(tracer.error());
    auto balancer = make_balancer(options, *session);
    if (!balancer) return tl::unexpected(balancer.error());
    auto record = open_file("--record", options.record, options.overwrite);
    if (!record) return tl::unexpected(record.error());
    auto moves = open_file("--moves", options.moves, options.overwrite);
    if (!moves) return tl::unexpected(moves.error());
    auto log = open_file("--scan-log", options.scan.log, options.overwrite);
    if (!log) return tl::unexpected(log.error());
    return Plan{std::move(*session), std::move(*allowed), std::move(*memory), std::move(*record),
                std::move(*moves),   std::move(*log),     std::move(*tracer), std::move(*balancer)};
}

/// Two who bind the same threads: one line that says who wins. With --force the variables are taken out of the
/// program's environment.
Result<void> settle_binding_variables(const ExecOptions& options) {
    const auto policy = make_policy(options.policy);
    if (!policy) return tl::unexpected(policy.error());
    const std::vector<std::string> variables = variables_that_bind();
    if (variables.empty() || !(*policy)->places_threads()) return {};
    const std::string named = printable(fmt::format("{}", fmt::join(variables, ", ")));
    if (options.force) {
        fmt::print(stderr, "pinwise: {}: not passed on to the program, because of --force: --policy {} wins\n", named,
                   printable(options.policy));
        remove_binding_variables();
    } else {
        fmt::print(stderr,
                   "pinwise: {}: an OpenMP runtime binds its threads by this, and wins over --policy {} (--force: the "
                   "policy wins)\n",
                   named, printable(options.policy));
    }
    return {};
}

/// What the user would not see otherwise.
void warn_about_gaps(const Session& session, const std::string& program) {
    if (session.threads().empty()) {
        fmt::print(stderr, "pinwise: no thread of {} joined the session: it ran unplaced\n", printable(program));
    }
    if (const auto missed = session.threads_not_recorded(); missed > 0) {
        fmt::print(stderr, "pinwise: {} threads found no free record and ran unplaced\n", missed);
    }
}

void warn_about_memory(const ExecOptions& options, const LaunchFacts& facts) {
    if (!facts.memory || facts.memory->step == MemoryAnswer::Step::applied) return;
    fmt::print(stderr, "pinwise: --mem {}: {}: {}; the program runs without it\n", printable(*options.memory),
               to_string(*facts.memory), explain(*facts.memory));
}

Result<void> write_record(Plan& plan, const LaunchFacts& facts) {
    if (!plan.record.is_open()) return {};
    return plan.record.commit(format_threads(
        plan.session.threads(), facts.memory ? to_string(*facts.memory) : std::string(), plan.session.scan()));
}

Result<void> write_moves(Plan& plan) {
    if (!plan.moves.is_open()) return {};
    return plan.moves.commit(format_moves(plan.balancer->moves()));
}

/// 126 or 127 where the command is to blame, as a shell would say; 0 when it looks fine.
int shell_status(const std::string& program) {
    const ProgramFile file = find_program(program);
    if (file.state == ProgramState::found) return 0;
    const bool missing = file.state == ProgramState::missing;
    fmt::print(stderr, "pinwise: {}: {}\n", file.path.empty() ? "''" : printable(file.path),
               missing ? "command not found" : "not executable");
    return missing ? status_not_found : status_not_executable;
}

/// `rest` is everything that is no option of ours, the first "--" included.
Result<void> take_command(std::vector<std::string> rest, ExecOptions& options) {
    if (!rest.empty()) {
        if (rest.front() != "--") {
            if (std::ranges::find(rest, "--") != rest.end())
                return usage_error(fmt::format("exec: unknown option {}", rest.front()));
            return usage_error(
                fmt::format("exec: unexpected \"{}\": put -- before the command: pinwise exec [OPTIONS] -- {}",
                            rest.front(), options.program));
        }
        rest.erase(rest.begin());
    }
    options.command = {options.program};
    options.command.insert(options.command.end(), rest.begin(), rest.end());
    return {};
}

/// A traced program, in a session of somebody else's, leaves that one: its threads have one master.
std::vector<std::string> environment_for(const Plan& plan) {
    if (plan.tracer == nullptr) return plan.session.environment();
    return {fmt::format("{}=", session_variable)};
}

/// The full look at all threads is dearer than a round, so it comes less often.
void balance(Plan& plan, int& ticks) {
    constexpr int ticks_per_look = 3;
    plan.session.observe_others();
    plan.balancer->round_if_due();
    if (++ticks % ticks_per_look == 0) plan.session.observe();
}

int wait_for(Foreground& foreground, pid_t program, Plan& plan, PageLog& pages) {
    const auto look_at_pages = [&] {
        if (plan.scan_log.is_open()) pages.look();
    };
    const auto observe = [&plan, look_at_pages] {
        plan.session.observe();
        look_at_pages();
    };
    const auto balance_too = [&plan, look_at_pages, ticks = 0]() mutable {
        balance(plan, ticks);
        look_at_pages();
    };
    const Tick look =
        plan.balancer == nullptr ? Tick{.run = observe} : Tick{.run = balance_too, .interval_ns = balance_interval_ns};
    if (plan.tracer == nullptr) return foreground.wait_for(program, look);
    return foreground.wait_for(program, look, [&] { return plan.tracer->handle_events(); });
}

LaunchSpec launch_spec(const ExecOptions& options, const Plan& plan, const Foreground& foreground) {
    LaunchSpec spec;
    spec.command = options.command;
    spec.environment = environment_for(plan);
    spec.cpus = plan.allowed;
    spec.memory = plan.memory;
    spec.inheritance = Inheritance::transparent;
    spec.signal_mask = foreground.caller_mask();
    if (plan.tracer != nullptr) spec.watcher = plan.tracer->launch_watcher();
    return spec;
}

/// After the program's end. A record that was not written is a failed run, but the program's own failure goes first.
void conclude(const ExecOptions& options, Plan& plan, const LaunchFacts& facts, const PageLog& pages, int wait_status,
              Outcome& outcome) {
    plan.session.observe();
    auto written = write_record(plan, facts);
    if (written && plan.scan_log.is_open()) written = plan.scan_log.commit(scan_log(plan.session.scan(), pages));
    if (!written) report(written.error(), outcome);
    const auto moves_written = write_moves(plan);
    if (!moves_written) report(moves_written.error(), outcome);
    warn_about_gaps(plan.session, options.command.front());
    if (options.verify) fmt::print(stderr, "{}", format_verdict(plan.session.threads()));
    fmt::print(stderr, "{}", scan_report(plan.session.scan(), options.verify));
    if (options.verify && plan.balancer != nullptr)
        fmt::print(stderr, "pinwise: {}\n", describe(plan.balancer->summary()));
    const int status = end_like(wait_status);
    if (status != 0 || (written && moves_written)) outcome.status = status;
}

void run_exec(const ExecOptions& options, Outcome& outcome) {
    outcome.status = shell_status(options.command.front());
    if (outcome.status != 0) return;
    Foreground foreground;
    auto plan = make_plan(options);
    if (!plan) return report(plan.error(), outcome);
    if (auto settled = settle_binding_variables(options); !settled) return report(settled.error(), outcome);
    LaunchFacts facts;
    const auto program = launch(launch_spec(options, *plan, foreground), &facts);
    if (!program) {
        report(program.error(), outcome);
        if (program.error().kind == ErrorKind::usage) outcome.status = status_not_executable;
        return;
    }
    warn_about_memory(options, facts);
    PageLog pages(*program);
    const int status = wait_for(foreground, *program, *plan, pages);
    conclude(options, *plan, facts, pages, status, outcome);
}

}  // namespace

void add_exec(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<ExecOptions>();
    CLI::App* command =
        app.add_subcommand("exec", "Run any program with every new thread put on its CPU before it runs");
    add_cpu_options(*command, options->cpus);
    command->add_option("--policy", options->policy, "Who decides; see pinwise list policies")->capture_default_str();
    command
        ->add_option("--bind", options->bind,
                     "After the first CPU: initial (the kernel may move it), cpu (it stays), llc or node (it stays on "
                     "the allowed CPUs of its cache or NUMA node)")
        ->capture_default_str();
    command
        ->add_option("--attach", options->attach,
                     "How threads are caught: preload (inside the program), ptrace (any binary, dearer) or auto")
        ->capture_default_str();
    command->add_option("--mem", options->memory,
                        "Where pages go: first-touch, interleave[:NODES], weighted-interleave[:NODES], bind:NODES, "
                        "preferred:NODE; default: as the caller has it");
    command->add_flag("--balance{125}", options->balance,
                      "Let threads leave a node that is busier and crowded, and bring them home when its load is gone; "
                      "--balance=PERCENT: when 100 x the busiest node's load exceeds PERCENT x the own load");
    command->add_option("--moves", options->moves,
                        "Write one CSV row per move of --balance to this file (-: standard output)");
    command
        ->add_option("--skip", options->skip,
                     "Leave the first N threads that each process creates (helper threads) to the kernel")
        ->capture_default_str()
        ->check(CLI::Range(0, max_skipped));
    command->add_flag("--force", options->force,
                      "Override affinities that the program sets itself; it is told that they are set");
    add_scan_options(*command, options->scan);
    command->add_flag("--observe", options->observe, "Count runnable threads of other programs as load");
    command->add_flag("--verify", options->verify,
                      "At the end, print on standard error what each thread was asked, got and kept");
    command->add_option("--record", options->record, "Write one CSV row per thread to this file (-: standard output)");
    command->add_flag("--overwrite", options->overwrite,
                      "The files of --record and --moves may exist and are replaced");
    // The arguments are what CLI11 leaves over: it would take apart an argument "[a,b]" of an option of several values.
    command->add_option("command", options->program, "The program, after --, and its arguments")->required();
    command->prefix_command();
    command->footer(
        std::string(scan_help) + "\n\n" +
        "The program's output, exit status and signals pass through. 126: not executable, 127: not found, 2: a mistake "
        "in "
        "pinwise's own options.\n\nExamples:\n"
        "  pinwise exec -- ./stream --threads 8\n"
        "  pinwise exec -C 0,16,32,48 --policy idlest --bind cpu --record threads.csv -- ./solver input.dat\n"
        "  pinwise exec --policy explicit:0,2,4,6 -- env OMP_NUM_THREADS=4 ./solver\n"
        "  pinwise exec --bind llc --mem interleave --verify -- ./solver\n"
        "  pinwise exec --bind llc --scan staggered --verify -- ./solver\n"
        "  pinwise exec --policy llc --balance --moves moves.csv -- ./many-jobs.sh");
    command->callback([command, options, &outcome] {
        if (auto complete = take_command(command->remaining(), *options); !complete)
            return report(complete.error(), outcome);
        auto policy = concrete_policy_name(options->policy, running_kernel());
        if (!policy) return report(policy.error(), outcome);
        options->policy = std::move(*policy);
        run_exec(*options, outcome);
    });
}

}  // namespace pinwise::cli
