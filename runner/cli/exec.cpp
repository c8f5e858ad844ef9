#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "placer/agent/descriptor.hpp"
#include "placer/agent/launch.hpp"
#include "placer/agent/session.hpp"
#include "placer/agent/session_memory.hpp"
#include "placer/attach/attach_choice.hpp"
#include "placer/attach/tracer.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/load_machine.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/cpu_options.hpp"
#include "runner/cli/foreground.hpp"
#include "runner/cli/session_record.hpp"

namespace pinwise::cli {

namespace {

/// Exit statuses of shells for a command that cannot be run.
constexpr int status_not_executable = 126;
constexpr int status_not_found = 127;

struct ExecOptions {
    CpuOptions cpus;
    std::string policy = "idlest";
    std::string bind = "initial";
    std::string attach = "auto";
    std::string record;
    std::string program;
    std::vector<std::string> command;  ///< program and arguments
};

/// Everything that can be refused before the program starts.
struct Plan {
    Session session;
    CpuSet allowed;
    Descriptor record;
    std::unique_ptr<Tracer> tracer;  ///< null: the agent is preloaded
};

Result<Attach> choose_attach(const ExecOptions& options) {
    const auto wish = parse_attach(options.attach);
    if (!wish) return tl::unexpected(wish.error());
    const auto policy = make_policy(options.policy);
    if (!policy) return tl::unexpected(policy.error());
    return pinwise::choose_attach(*wish, options.command.front(), (*policy)->places_threads());
}

Result<std::unique_ptr<Tracer>> make_tracer(const Session& session, Attach attach) {
    if (attach == Attach::preload) return nullptr;
    auto memory = session.map_memory();
    if (!memory) return tl::unexpected(memory.error());
    return Tracer::create(std::move(*memory));
}

/// Opened before the program runs, so that a path that cannot be written costs no run.
Result<Descriptor> open_record(const std::string& path) {
    if (path.empty()) return Descriptor();
    const int file = path == "-" ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                 : open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return usage_error(fmt::format("--record {}: {}", path, std::strerror(errno)));
    return Descriptor(file);
}

Result<Plan> make_plan(const ExecOptions& options) {
    const auto bind = parse_bind(options.bind);
    if (!bind) return tl::unexpected(bind.error());
    const auto attach = choose_attach(options);
    if (!attach) return tl::unexpected(attach.error());
    const auto machine = load_machine("live");
    if (!machine) return tl::unexpected(machine.error());
    auto allowed = allowed_cpus(*machine, options.cpus);
    if (!allowed) return tl::unexpected(allowed.error());
    auto session = Session::create(*machine, {.policy = options.policy, .bind = *bind, .allowed = *allowed});
    if (!session) return tl::unexpected(session.error());
    auto tracer = make_tracer(*session, *attach);
    if (!tracer) return tl::unexpected(tracer.error());
    auto record = open_record(options.record);
    if (!record) return tl::unexpected(record.error());
    return Plan{std::move(*session), std::move(*allowed), std::move(*record), std::move(*tracer)};
}

/// What the user would not see otherwise.
void warn_about_gaps(const Session& session, const std::string& program) {
    if (session.threads().empty()) {
        fmt::print(stderr, "pinwise: no thread of {} joined the session: it ran unplaced\n", program);
    }
    if (const auto missed = session.threads_not_recorded(); missed > 0) {
        fmt::print(stderr, "pinwise: {} threads found no free record and ran unplaced\n", missed);
    }
}

void write_record(const Plan& plan, const std::string& path) {
    if (plan.record.get() < 0) return;
    if (const int error = write_all(plan.record.get(), format_threads(plan.session.threads())); error != 0) {
        fmt::print(stderr, "pinwise: --record {}: {}\n", path, std::strerror(error));
    }
}

/// 126 or 127 where the command is to blame, as a shell would say; 0 when it looks fine.
int shell_status(const std::string& program) {
    const ProgramFile file = find_program(program);
    if (file.state == ProgramState::found) return 0;
    const bool missing = file.state == ProgramState::missing;
    fmt::print(stderr, "pinwise: {}: {}\n", file.path, missing ? "command not found" : "not executable");
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

int wait_for(Foreground& foreground, pid_t program, Plan& plan) {
    const auto look = [&] { plan.session.observe(); };
    if (plan.tracer == nullptr) return foreground.wait_for(program, look);
    return foreground.wait_for(program, look, [&] { return plan.tracer->handle_events(); });
}

void run_exec(const ExecOptions& options, Outcome& outcome) {
    outcome.status = shell_status(options.command.front());
    if (outcome.status != 0) return;
    Foreground foreground;
    auto plan = make_plan(options);
    if (!plan) return report(plan.error(), outcome);
    LaunchSpec spec;
    spec.command = options.command;
    spec.environment = environment_for(*plan);
    spec.cpus = plan->allowed;
    spec.inheritance = Inheritance::transparent;
    spec.signal_mask = foreground.caller_mask();
    if (plan->tracer != nullptr) spec.watcher = plan->tracer->launch_watcher();
    const auto program = launch(spec);
    if (!program) {
        report(program.error(), outcome);
        if (program.error().kind == ErrorKind::usage) outcome.status = status_not_executable;
        return;
    }
    const int status = wait_for(foreground, *program, *plan);
    plan->session.observe();
    write_record(*plan, options.record);
    warn_about_gaps(plan->session, options.command.front());
    outcome.status = end_like(status);
}

}  // namespace

void add_exec(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<ExecOptions>();
    CLI::App* command =
        app.add_subcommand("exec", "Run any program with every new thread put on its CPU before it runs");
    add_cpu_options(*command, options->cpus);
    command->add_option("--policy", options->policy, "Who decides; see pinwise list policies")->capture_default_str();
    command
        ->add_option("--bind", options->bind, "After the first CPU: initial (the kernel may move it) or cpu (it stays)")
        ->capture_default_str();
    command
        ->add_option("--attach", options->attach,
                     "How threads are caught: preload (inside the program), ptrace (any binary, dearer) or auto")
        ->capture_default_str();
    command->add_option("--record", options->record, "Write one CSV row per thread to this file (-: standard output)");
    // The arguments are what CLI11 leaves over: it would take apart an argument "[a,b]" of an option of several values.
    command->add_option("command", options->program, "The program, after --, and its arguments")->required();
    command->prefix_command();
    command->footer(
        "The program's output, exit status and signals pass through. 126: not executable, 127: not found, 2: a mistake "
        "in "
        "pinwise's own options.\n\nExamples:\n"
        "  pinwise exec -- ./stream --threads 8\n"
        "  pinwise exec -C 0,16,32,48 --policy idlest --bind cpu --record threads.csv -- ./solver input.dat\n"
        "  pinwise exec --policy explicit:0,2,4,6 -- env OMP_NUM_THREADS=4 ./solver");
    command->callback([command, options, &outcome] {
        if (auto complete = take_command(command->remaining(), *options); !complete)
            return report(complete.error(), outcome);
        run_exec(*options, outcome);
    });
}

}  // namespace pinwise::cli
