#include "runner/trial/process_executor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/agent/launch.hpp"
#include "placer/agent/session.hpp"
#include "runner/trial/placement_facts.hpp"
#include "runner/trial/steady_time.hpp"
#include "runner/trial/workload_output.hpp"

namespace pinwise {

/// A running trial. The session is absent where the agent cannot follow the program.
struct ProcessExecutor::Started {
    pid_t pid = 0;
    std::int64_t start_ns = 0;
    int out_fd = -1;
    int err_fd = -1;
    std::optional<Session> session;
    std::string mem_policy;
    std::string note;
};

namespace {

/// A JSON document larger than this is not one of ours.
constexpr std::uintmax_t max_json_bytes = 64ULL << 20;
constexpr std::size_t max_reason_length = 300;

class Descriptor {
public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

struct Pipe {
    Descriptor read;
    Descriptor write;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return failure(fmt::format("no pipe: {}", std::system_category().message(errno)));
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string read_json_file(const std::string& path) {
    std::error_code error;
    if (const auto size = std::filesystem::file_size(path, error); error || size > max_json_bytes) return {};
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// The last line with something in it, made safe for one line of a table.
std::string last_line(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos) return {};
    const std::size_t begin = text.find_last_of('\n', last);
    std::string line(text.substr(begin == std::string_view::npos ? 0 : begin + 1,
                                 last - (begin == std::string_view::npos ? 0 : begin + 1) + 1));
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, ' ');
    if (line.size() > max_reason_length) line.resize(max_reason_length);
    return line;
}

/// Why the trial failed, or "": the workload's verdict on itself says more than its exit status.
std::string why_failed(const TrialSpec& spec, const GroupResult& group, const Result<WorkloadOutput>& output) {
    if (group.end == EndReason::timeout) return fmt::format("timeout({:g} s)", spec.timeout_s);
    if (WIFSIGNALED(group.wait_status)) return fmt::format("crashed({})", signal_name(WTERMSIG(group.wait_status)));
    if (output && !output->verified) return "verification failed";
    if (const int status = WEXITSTATUS(group.wait_status); status != 0) {
        const std::string said = last_line(group.err);
        return fmt::format("exit {}{}{}", status, said.empty() ? "" : ": ", said);
    }
    if (!output) return fmt::format("unparsable output: {}", last_line(output.error().message));
    return {};
}

bool is_readable(int fd) {
    pollfd watched{fd, POLLIN, 0};  // a negative descriptor is ignored
    return poll(&watched, 1, 0) > 0;
}

TrialResult interrupted_trial() {
    TrialResult result;
    result.status = TrialStatus::interrupted;
    return result;
}

void add_process_notes(const GroupResult& group, TrialResult& result) {
    if (group.left_behind > 0)
        result.notes.push_back(fmt::format("{} processes were left behind and ended", group.left_behind));
    if (group.not_ended > 0) result.notes.push_back(fmt::format("{} processes could not be ended", group.not_ended));
}

}  // namespace

std::string signal_name(int number) {
    const char* const name = sigabbrev_np(number);
    return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

Result<std::vector<std::string>> trial_command(const TrialSpec& spec, const std::vector<std::string>& workload_path,
                                               const std::string& json_file) {
    const WorkloadCommand* const command = find_workload(spec.workload);
    if (command == nullptr) return failure(fmt::format("unknown workload \"{}\"", spec.workload));
    const auto executable = find_workload_executable(*command, workload_path);
    if (!executable) return tl::unexpected<Error>(executable.error());
    return workload_arguments(*command, *executable, spec.threads, spec.parameters, json_file);
}

ProcessExecutor::ProcessExecutor(const Machine& machine, ProcessExecutorOptions options)
    : machine_(machine), options_(std::move(options)) {}

Result<ProcessExecutor::Started> ProcessExecutor::start(const TrialSpec& spec, const std::string& json_file) {
    const auto command = trial_command(spec, options_.workload_path, json_file);
    if (!command) return tl::unexpected<Error>(command.error());
    Started started;
    const bool placed = spec.strategy.policy != "os";
    if (const std::string why = why_agent_cannot_follow(command->front()); !why.empty()) {
        if (placed) return failure(fmt::format("the agent cannot place its threads: {}", why));
        started.note = fmt::format("threads not recorded: {}", why);
    } else {
        const auto bind = placed ? parse_bind(spec.strategy.bind) : Result<Bind>(Bind::initial);
        if (!bind) return tl::unexpected<Error>(bind.error());
        auto session =
            Session::create(machine_, {.policy = spec.strategy.policy, .bind = *bind, .allowed = spec.strategy.mask});
        if (!session) return tl::unexpected<Error>(session.error());
        started.session = *std::move(session);
    }
    auto out = make_pipe();
    if (!out) return tl::unexpected<Error>(out.error());
    auto err = make_pipe();
    if (!err) return tl::unexpected<Error>(err.error());
    const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    LaunchSpec launch_spec;
    launch_spec.command = *command;
    if (started.session) launch_spec.environment = started.session->environment();
    launch_spec.cpus = spec.strategy.mask;
    launch_spec.memory = spec.strategy.memory_here;
    launch_spec.new_process_group = true;
    launch_spec.end_with_caller = true;
    launch_spec.stdin_fd = nothing.get();
    launch_spec.stdout_fd = out->write.get();
    launch_spec.stderr_fd = err->write.get();
    if (options_.trace != nullptr) options_.trace->clear();
    started.start_ns = steady_now_ns();
    LaunchFacts facts;
    const auto pid = launch(launch_spec, &facts);
    if (!pid) return tl::unexpected<Error>(pid.error());
    if (facts.memory) started.mem_policy = to_string(*facts.memory);
    started.pid = *pid;
    started.out_fd = out->read.release();
    started.err_fd = err->read.release();
    return started;
}

TrialResult ProcessExecutor::run(const TrialSpec& spec) {
    if (is_readable(options_.interrupt_fd)) return interrupted_trial();
    const std::string json_file = fmt::format("{}/{:04}.json", options_.output_folder, spec.trial);
    ::unlink(json_file.c_str());
    auto started = start(spec, json_file);
    if (!started) return failed_trial(fmt::format("not started: {}", started.error().message));
    const GroupLimits limits{
        .timeout_s = spec.timeout_s, .grace_s = options_.grace_s, .interrupt_fd = options_.interrupt_fd};
    const GroupResult group = wait_for_group(started->pid, started->start_ns, started->out_fd, started->err_fd, limits);
    if (group.end == EndReason::interrupted) {
        ::unlink(json_file.c_str());  // half a document is none
        return interrupted_trial();
    }
    TrialResult result;
    result.wall_s = group.wall_s;
    result.user_s = group.user_s;
    result.sys_s = group.sys_s;
    auto output = parse_workload_output(read_json_file(json_file));
    result.reason = why_failed(spec, group, output);
    result.status = result.reason.empty() ? TrialStatus::ok : TrialStatus::failed;
    if (started->session) result.threads = started->session->threads();
    if (options_.trace != nullptr) apply_wakeups(options_.trace->read(), result.threads);
    result.threads =
        worker_threads(std::move(result.threads), output ? output->threads : std::vector<WorkloadThread>{});
    result.mem_policy = started->mem_policy;
    result.start = placement_facts(machine_, result.threads);
    if (output) result.llc_ratio = output->llc_ratio;
    if (output) result.local_shares = output->local_shares;
    if (output && result.status == TrialStatus::ok) result.metrics = std::move(output->metrics);
    if (output) result.notes = std::move(output->notes);
    if (!started->note.empty()) result.notes.push_back(started->note);
    add_process_notes(group, result);
    if (result.status == TrialStatus::failed) save_text(spec, group);
    return result;
}

void ProcessExecutor::save_text(const TrialSpec& spec, const GroupResult& group) const {
    // A courtesy for whoever looks for the cause: when the disk is full, the trial's rows will say so.
    for (const auto& [ending, text] : {std::pair{"out", &group.out}, std::pair{"err", &group.err}})
        if (!text->empty())
            std::ofstream(fmt::format("{}/{:04}.{}", options_.output_folder, spec.trial, ending), std::ios::binary)
                << *text;
}

}  // namespace pinwise
