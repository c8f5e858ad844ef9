#include "placer/agent/launch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <type_traits>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/agent/descriptor.hpp"
#include "placer/topology/cpu_list.hpp"

namespace pinwise {

namespace {

/// What the child was doing when it failed; sent to the parent with errno.
enum class Step : int { working_directory, process_group, standard_descriptors, affinity, exec };

struct ChildFailure {
    Step step = Step::exec;
    int error = 0;
};

/// What the child tells: the answer to its memory policy, and then, unless it becomes the program, why not.
struct ChildReport {
    std::optional<MemoryAnswer> memory;
    std::optional<ChildFailure> failure;
};
static_assert(std::is_trivially_copyable_v<ChildReport>);

/// Everything the child needs, made before the fork: after it nothing may allocate. Movable only, because the
/// pointers go into the strings.
struct Preparation {
    Preparation() = default;
    Preparation(const Preparation&) = delete;
    Preparation& operator=(const Preparation&) = delete;
    Preparation(Preparation&&) = default;
    Preparation& operator=(Preparation&&) = default;
    ~Preparation() = default;

    std::string path;
    std::vector<std::string> command;
    std::vector<std::string> shell_command;
    std::vector<std::string> environment;
    std::vector<char*> argv;
    std::vector<char*> shell_argv;  ///< for a file without #! line
    std::vector<char*> envp;
    std::vector<std::uint64_t> mask;
};

std::string_view name_of(std::string_view assignment) {
    return assignment.substr(0, assignment.find('='));
}

std::vector<std::string> merged_environment(const std::vector<std::string>& additions) {
    std::vector<std::string> merged;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const bool overridden =
            std::ranges::any_of(additions, [&](const std::string& added) { return name_of(added) == name_of(*entry); });
        if (!overridden) merged.emplace_back(*entry);
    }
    merged.insert(merged.end(), additions.begin(), additions.end());
    return merged;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// The child has nothing but the pipe. When even that fails, its status 127 must do.
void tell(int pipe_end, const ChildReport& report) {
    [[maybe_unused]] const ssize_t written = write(pipe_end, &report, sizeof(report));
}

[[noreturn]] void give_up(int report, Step step) {
    tell(report, {.memory = {}, .failure = ChildFailure{.step = step, .error = errno}});
    _exit(127);
}

/// All three at once: one of them may be given another's number.
bool set_standard_descriptors(const LaunchSpec& spec) {
    std::array<int, 3> wanted{spec.stdin_fd, spec.stdout_fd, spec.stderr_fd};
    for (int& source : wanted) {
        if (source < 0) continue;
        source = fcntl(source, F_DUPFD_CLOEXEC, 3);
        if (source < 0) return false;
    }
    for (int target = 0; target < 3; ++target) {
        const int source = wanted[static_cast<std::size_t>(target)];
        if (source >= 0 && dup2(source, target) < 0) return false;
    }
    return true;
}

/// Close-on-exec rather than closed, because the report pipe is among them.
void mark_descriptors_close_on_exec() {
    if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
    rlimit limit{};  // before Linux 5.11
    const int last =
        getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? static_cast<int>(limit.rlim_cur) : 65536;
    for (int descriptor = 3; descriptor < last; ++descriptor)
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

void restore_default_signals() {
    struct sigaction default_action {};
    default_action.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal)
        sigaction(signal, &default_action, nullptr);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// A caller that is gone already does not send the signal any more.
void end_with(pid_t caller) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != caller) _exit(127);
}

[[noreturn]] void become_program(const LaunchSpec& spec, const Preparation& prepared, int report) {
    if (spec.new_process_group && setpgid(0, 0) != 0) give_up(report, Step::process_group);
    if (!spec.working_directory.empty() && chdir(spec.working_directory.c_str()) != 0)
        give_up(report, Step::working_directory);
    if (!set_standard_descriptors(spec)) give_up(report, Step::standard_descriptors);
    if (spec.inheritance == Inheritance::clean) {
        mark_descriptors_close_on_exec();
        restore_default_signals();
    } else if (spec.signal_mask) {
        sigprocmask(SIG_SETMASK, &*spec.signal_mask, nullptr);
    }
    // The kernel takes a mask of any length and ignores what lies beyond its own.
    if (!prepared.mask.empty() &&
        syscall(SYS_sched_setaffinity, 0, prepared.mask.size() * sizeof(std::uint64_t), prepared.mask.data()) != 0) {
        give_up(report, Step::affinity);
    }
    if (spec.memory) tell(report, {.memory = apply_memory_policy(*spec.memory), .failure = {}});
    execve(prepared.path.c_str(), prepared.argv.data(), prepared.envp.data());
    if (errno == ENOEXEC) execve("/bin/sh", prepared.shell_argv.data(), prepared.envp.data());
    give_up(report, Step::exec);
}

Error describe(const ChildFailure& failed, const LaunchSpec& spec) {
    const std::string reason = std::strerror(failed.error);
    switch (failed.step) {
        case Step::working_directory:
            return {ErrorKind::usage, fmt::format("cannot enter {}: {}", spec.working_directory, reason)};
        case Step::process_group:
            return {ErrorKind::failure, fmt::format("cannot make a process group: {}", reason)};
        case Step::standard_descriptors:
            return {ErrorKind::failure, fmt::format("cannot set the program's standard input and output: {}", reason)};
        case Step::affinity:
            return {ErrorKind::usage, fmt::format("cannot run on CPUs {}: {}",
                                                  spec.cpus ? format_cpu_list(*spec.cpus) : std::string(), reason)};
        case Step::exec:
            break;
    }
    return {ErrorKind::usage, fmt::format("cannot execute {}: {}", spec.command.front(), reason)};
}

Result<Preparation> prepare(const LaunchSpec& spec) {
    if (spec.command.empty()) return usage_error("no command to run");
    if (spec.cpus && spec.cpus->empty()) return usage_error("a program needs at least one CPU to run on");
    const ProgramFile file = find_program(spec.command.front());
    if (file.state == ProgramState::missing) return usage_error(fmt::format("{}: command not found", file.path));
    if (file.state == ProgramState::not_executable) return usage_error(fmt::format("{}: not executable", file.path));
    Preparation prepared;
    // A script sees this name in $0, so it stays as it is unless the child enters another folder first.
    prepared.path = spec.working_directory.empty() ? file.path : std::filesystem::absolute(file.path).string();
    prepared.command = spec.command;
    prepared.shell_command = {"/bin/sh", prepared.path};
    prepared.shell_command.insert(prepared.shell_command.end(), spec.command.begin() + 1, spec.command.end());
    prepared.argv = pointers_to(prepared.command);
    prepared.shell_argv = pointers_to(prepared.shell_command);
    prepared.environment = merged_environment(spec.environment);
    prepared.envp = pointers_to(prepared.environment);
    if (spec.cpus) prepared.mask.assign(spec.cpus->words().begin(), spec.cpus->words().end());
    return prepared;
}

/// What the child says before exec closes its end; without a failure it became the program.
ChildReport wait_for_exec(int reading) {
    ChildReport all;
    while (true) {
        ChildReport next;
        const ssize_t count = read(reading, &next, sizeof(next));
        if (count == 0) return all;
        if (count < 0 && errno == EINTR) continue;
        if (count != static_cast<ssize_t>(sizeof(next))) {
            all.failure = ChildFailure{.step = Step::exec, .error = ECHILD};
            return all;
        }
        if (next.memory) all.memory = next.memory;
        if (next.failure) all.failure = next.failure;
    }
}

struct Pipe {
    Descriptor reading;
    Descriptor writing;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return failure(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    return Pipe{.reading = Descriptor(ends[0]), .writing = Descriptor(ends[1])};
}

Result<Pipe> make_report_pipe() {
    auto made = make_pipe();
    if (!made) return made;
    // Above 2, or the program's standard descriptors would take its place.
    made->writing = Descriptor(fcntl(made->writing.get(), F_DUPFD_CLOEXEC, 3));
    if (made->writing.get() < 0) return failure(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    return made;
}

/// The child waits until its parent has opened the gate by closing it, or is gone.
void wait_at(const Pipe& gate) {
    close(gate.writing.get());
    char nothing = 0;
    while (read(gate.reading.get(), &nothing, 1) < 0 && errno == EINTR) {
    }
}

void end_child(pid_t child) {
    kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, __WALL) == child && WIFSTOPPED(status)) {
    }
}

}  // namespace

Result<pid_t> launch(const LaunchSpec& spec, LaunchFacts* facts) {
    const auto prepared = prepare(spec);
    if (!prepared) return tl::unexpected(prepared.error());
    auto report_pipe = make_report_pipe();
    if (!report_pipe) return tl::unexpected(report_pipe.error());
    auto gate = make_pipe();
    if (!gate) return tl::unexpected(gate.error());
    const pid_t caller = getpid();
    const pid_t child = fork();
    if (child < 0) return failure(fmt::format("cannot start a process: {}", std::strerror(errno)));
    if (child == 0) {
        if (spec.end_with_caller) end_with(caller);
        if (spec.watcher) wait_at(*gate);
        become_program(spec, *prepared, report_pipe->writing.get());
    }
    report_pipe->writing = Descriptor();
    if (spec.watcher) {
        if (auto attached = spec.watcher->attach(child); !attached) {
            end_child(child);
            return tl::unexpected(attached.error());
        }
        gate->writing = Descriptor();
        spec.watcher->wait_for_exec(child);
    }
    const ChildReport report = wait_for_exec(report_pipe->reading.get());
    if (facts != nullptr) facts->memory = report.memory;
    if (!report.failure) return child;
    waitpid(child, nullptr, 0);
    return tl::unexpected(describe(*report.failure, spec));
}

}  // namespace pinwise
