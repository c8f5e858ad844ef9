#include "placer/agent/launch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
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

/// The child's way of failing: nothing but the pipe.
[[noreturn]] void give_up(int report, Step step) {
    const ChildFailure failed{.step = step, .error = errno};
    [[maybe_unused]] const ssize_t written = write(report, &failed, sizeof(failed));
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
    execve(prepared.path.c_str(), prepared.argv.data(), prepared.envp.data());
    if (errno == ENOEXEC) execve("/bin/sh", prepared.shell_argv.data(), prepared.envp.data());
    give_up(report, Step::exec);
}

Error explain(const ChildFailure& failed, const LaunchSpec& spec) {
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
    // Absolute, because the child may enter another folder first.
    prepared.path = std::filesystem::absolute(file.path).string();
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

/// What the child says before exec closes its end; nothing when it became the program.
std::optional<ChildFailure> wait_for_exec(int reading) {
    ChildFailure failed{.step = Step::exec, .error = ECHILD};
    ssize_t count = -1;
    do {
        count = read(reading, &failed, sizeof(failed));
    } while (count < 0 && errno == EINTR);
    return count == 0 ? std::nullopt : std::optional(failed);
}

struct Pipe {
    Descriptor reading;
    Descriptor writing;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return failure(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
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

Result<pid_t> launch(const LaunchSpec& spec) {
    const auto prepared = prepare(spec);
    if (!prepared) return tl::unexpected(prepared.error());
    auto report = make_pipe();
    if (!report) return tl::unexpected(report.error());
    auto gate = make_pipe();
    if (!gate) return tl::unexpected(gate.error());
    // Above 2, or the program's standard descriptors would take its place.
    report->writing = Descriptor(fcntl(report->writing.get(), F_DUPFD_CLOEXEC, 3));
    const pid_t child = fork();
    if (child < 0) return failure(fmt::format("cannot start a process: {}", std::strerror(errno)));
    if (child == 0) {
        if (spec.watcher) wait_at(*gate);
        become_program(spec, *prepared, report->writing.get());
    }
    report->writing = Descriptor();
    if (spec.watcher) {
        if (auto attached = spec.watcher->attach(child); !attached) {
            end_child(child);
            return tl::unexpected(attached.error());
        }
        gate->writing = Descriptor();
        spec.watcher->wait_for_exec(child);
    }
    const auto failed = wait_for_exec(report->reading.get());
    if (!failed) return child;
    waitpid(child, nullptr, 0);
    return tl::unexpected(explain(*failed, spec));
}

}  // namespace pinwise
