#include "runner/trial/process_executor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/agent/launch.hpp"
#include "placer/agent/session.hpp"
#include "placer/balance/balance_choice.hpp"
#include "placer/balance/session_balancer.hpp"
#include "placer/whole_file.hpp"
#include "runner/config/strategy_words.hpp"
#include "runner/trial/external_trial.hpp"
#include "runner/trial/migration_metrics.hpp"
#include "runner/trial/page_log.hpp"
#include "runner/trial/pile_up.hpp"
#include "runner/trial/piped_group.hpp"
#include "runner/trial/placement_facts.hpp"
#include "runner/trial/steady_time.hpp"
#include "runner/trial/workload_output.hpp"

namespace pinwise {

/// A running trial. The session is absent where the agent cannot follow the program.
struct ProcessExecutor::Started {
    PipedGroup group;
    std::optional<Session> session;
    std::unique_ptr<SessionBalancer> balancer;  ///< null: nobody moves threads but the kernel
    std::optional<PageLog> pages;               ///< of external programs: ours tell it themselves
    std::optional<ThreadLooks> looks;           ///< where there is a session
    std::int64_t next_observation_ns = 0;
    std::string mem_policy;
    std::string note;

    std::int64_t attend(bool scans);
};

namespace {

/// A JSON document larger than this is not one of ours.
constexpr std::uintmax_t max_json_bytes = 64ULL << 20;

std::string read_json_file(const std::string& path) {
    std::error_code error;
    if (const auto size = std::filesystem::file_size(path, error); error || size > max_json_bytes) return {};
    return whole_file(path);
}

/// Why the trial failed, or "": the workload's verdict on itself says more than its exit status.
std::string why_failed(const TrialSpec& spec, const GroupResult& group, const Result<WorkloadOutput>& output) {
    if (group.end == EndReason::timeout) return fmt::format("timeout({:g} s)", spec.timeout_s);
    if (WIFSIGNALED(group.wait_status)) return fmt::format("crashed({})", signal_name(WTERMSIG(group.wait_status)));
    if (output && !output->verified) return "verification failed";
    if (spec.external) return output ? "" : output.error().message;
    if (const int status = WEXITSTATUS(group.wait_status); status != 0) {
        const std::string said = last_line(group.err);
        return fmt::format("exit {}{}{}", status, said.empty() ? "" : ": ", said);
    }
    if (!output) return fmt::format("unparsable output: {}", last_line(output.error().message));
    return {};
}

/// Whether `fd` becomes readable within that time.
bool is_readable_within(int fd, int wait_ms) {
    pollfd watched{fd, POLLIN, 0};  // a negative descriptor is ignored
    return poll(&watched, 1, wait_ms) > 0;
}

TrialResult interrupted_trial() {
    TrialResult result;
    result.status = TrialStatus::interrupted;
    return result;
}

std::string processes_were(int count) {
    return count == 1 ? "1 process was" : fmt::format("{} processes were", count);
}

void add_process_notes(const GroupResult& group, TrialResult& result) {
    if (group.left_behind > 0)
        result.notes.push_back(fmt::format("{} left behind and ended", processes_were(group.left_behind)));
    if (group.not_ended > 0) result.notes.push_back(fmt::format("{} not to be ended", processes_were(group.not_ended)));
}

/// Off for strategies that do not scan.
Result<ScanSettings> scan_settings_of(const std::string& migration) {
    ScanSettings settings;
    if (!is_scan_mode(migration)) return settings;
    const auto mode = parse_scan_mode(std::string_view(migration).substr(scan_mode_prefix.size()));
    if (!mode) return tl::unexpected<Error>(mode.error());
    settings.mode = *mode;
    return settings;
}

void add_scan(const ScanRecord& record, TrialResult& result) {
    result.scan = record.totals;
    if (record.state != ScanState::scanning)
        result.notes.push_back(fmt::format("scanning: {}: {}", to_string(record.state), explain(record.state)));
}

}  // namespace

std::string signal_name(int number) {
    const char* const name = sigabbrev_np(number);
    return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

Result<std::vector<std::string>> trial_command(const TrialSpec& spec, const std::vector<std::string>& workload_path,
                                               const std::string& json_file) {
    if (spec.external) return spec.external->command;
    const WorkloadCommand* const command = find_workload(spec.workload);
    if (command == nullptr) return failure(fmt::format("unknown workload \"{}\"", spec.workload));
    const auto executable = find_workload_executable(*command, workload_path);
    if (!executable) return tl::unexpected<Error>(executable.error());
    return workload_arguments(*command, *executable, spec.threads, spec.parameters, json_file);
}

ProcessExecutor::ProcessExecutor(const Machine& machine, ProcessExecutorOptions options)
    : machine_(machine), options_(std::move(options)), steps_(machine.allowed, options_.interrupt_fd) {}

namespace {

/// The trial's session as the strategy wants it.
Result<Session> make_session(const Machine& machine, const Strategy& strategy) {
    const auto bind = strategy.policy != "os" ? parse_bind(strategy.bind) : Result<Bind>(Bind::initial);
    if (!bind) return tl::unexpected<Error>(bind.error());
    const auto scan = scan_settings_of(strategy.migration);
    if (!scan) return tl::unexpected<Error>(scan.error());
    const auto cross_node_bal = parse_balance(strategy.balance);
    if (!cross_node_bal) return tl::unexpected<Error>(cross_node_bal.error());
    return Session::create(machine, {.policy = strategy.policy,
                                     .bind = *bind,
                                     .allowed = strategy.mask,
                                     .count_others = cross_node_bal->has_value(),
                                     .scan = *scan,
                                     .cross_node_bal = cross_node_bal->value_or(0)});
}

Result<std::unique_ptr<SessionBalancer>> make_balancer(const Session& session, const Strategy& strategy) {
    const auto percent = parse_balance(strategy.balance);
    if (!percent) return tl::unexpected<Error>(percent.error());
    if (!*percent) return nullptr;
    auto memory = session.map_memory();
    if (!memory) return tl::unexpected<Error>(memory.error());
    return SessionBalancer::create(*std::move(memory), **percent);
}

LaunchSpec launch_spec_of(const TrialSpec& spec, const std::vector<std::string>& command) {
    if (spec.external) return external_launch(*spec.external, command, spec.threads, spec.strategy.mask);
    LaunchSpec launch_spec;
    launch_spec.command = command;
    return launch_spec;
}

}  // namespace

Result<ProcessExecutor::Started> ProcessExecutor::start(const TrialSpec& spec, const std::string& json_file) {
    const auto command = trial_command(spec, options_.workload_path, json_file);
    if (!command) return tl::unexpected<Error>(command.error());
    Started started;
    if (const std::string why = why_agent_cannot_follow(command->front()); !why.empty()) {
        if (spec.strategy.policy != "os") return failure(fmt::format("the agent cannot place its threads: {}", why));
        if (is_scan_mode(spec.strategy.migration))
            return failure(fmt::format("the agent cannot scan its memory: {}", why));
        started.note = fmt::format("threads not recorded: {}", why);
    } else {
        auto session = make_session(machine_, spec.strategy);
        if (!session) return tl::unexpected<Error>(session.error());
        started.session = *std::move(session);
        auto balancer = make_balancer(*started.session, spec.strategy);
        if (!balancer) return tl::unexpected<Error>(balancer.error());
        started.balancer = *std::move(balancer);
    }
    LaunchSpec launch_spec = launch_spec_of(spec, *command);
    if (started.session) {
        const auto joining = started.session->environment();
        launch_spec.environment.insert(launch_spec.environment.end(), joining.begin(), joining.end());
    }
    launch_spec.cpus = spec.strategy.mask;
    launch_spec.memory = spec.strategy.memory_here;
    if (options_.trace != nullptr) options_.trace->clear();
    LaunchFacts facts;
    const auto group = launch_piped(std::move(launch_spec), &facts);
    if (!group) return tl::unexpected<Error>(group.error());
    if (facts.memory) started.mem_policy = to_string(*facts.memory);
    started.group = *group;
    if (spec.external) started.pages.emplace(group->pid);
    if (started.session) started.looks.emplace(group->start_ns);
    return started;
}

/// What is due while the program runs. Milliseconds until something is again.
std::int64_t ProcessExecutor::Started::attend(bool scans) {
    constexpr std::int64_t observation_pause_ns = ns_per_s;
    const std::int64_t now_ns = steady_now_ns();
    std::int64_t next_ns = now_ns + (balancer != nullptr ? balance_interval_ns : observation_pause_ns);
    if (balancer != nullptr) {
        session->observe_others();
        balancer->round_if_due();
    }
    // The scanner in the program goes by the memory pressure that the session's owner tells it.
    if (scans && now_ns >= next_observation_ns) {
        session->observe();
        next_observation_ns = now_ns + observation_pause_ns;
    }
    if (pages) pages->look();
    if (looks) {
        if (looks->due(now_ns)) looks->look(session->threads());
        next_ns = std::min(next_ns, looks->next_ns());
    }
    return std::max<std::int64_t>((next_ns - steady_now_ns()) / ns_per_ms, 1);
}

GroupResult ProcessExecutor::wait_for(const TrialSpec& spec, Started& started) const {
    GroupLimits limits{.timeout_s = spec.timeout_s, .grace_s = options_.grace_s, .interrupt_fd = options_.interrupt_fd};
    if (spec.external) limits.captured_bytes = max_external_output_bytes;
    limits.tick = [&started, scans = is_scan_mode(spec.strategy.migration)] { return started.attend(scans); };
    const PipedGroup& group = started.group;
    return wait_for_group(group.pid, group.start_ns, group.out_fd, group.err_fd, limits);
}

TrialResult ProcessExecutor::run(const TrialSpec& spec) {
    if (is_readable_within(options_.interrupt_fd, 0)) return interrupted_trial();
    const std::string json_file = fmt::format("{}/{:04}.json", options_.output_folder, spec.trial);
    ::unlink(json_file.c_str());
    if (spec.external) {
        if (auto stopped = steps_.before(spec)) return *std::move(stopped);
    }
    if (is_readable_within(options_.interrupt_fd, options_.settle_ms)) return interrupted_trial();
    auto started = start(spec, json_file);
    if (!started) return failed_trial(fmt::format("not started: {}", started.error().message));
    const GroupResult group = wait_for(spec, *started);
    if (group.end == EndReason::interrupted) {
        ::unlink(json_file.c_str());  // half a document is none
        return interrupted_trial();
    }
    TrialResult result;
    result.wall_s = group.wall_s;
    result.user_s = group.user_s;
    result.sys_s = group.sys_s;
    auto output =
        spec.external ? read_external_output(*spec.external, group) : parse_workload_output(read_json_file(json_file));
    result.reason = why_failed(spec, group, output);
    result.status = result.reason.empty() ? TrialStatus::ok : TrialStatus::failed;
    if (started->session) result.threads = started->session->threads();
    if (options_.trace != nullptr) apply_wakeups(options_.trace->read(), result.threads);
    result.threads =
        worker_threads(std::move(result.threads), output ? output->threads : std::vector<WorkloadThread>{});
    if (output)
        for (WorkloadThread& thread : output->threads)
            if (thread.times) result.thread_times.push_back(*std::move(thread.times));
    if (is_scan_mode(spec.strategy.migration)) add_scan(started->session->scan(), result);
    result.mem_policy = started->mem_policy;
    result.start = placement_facts(machine_, result.threads);
    if (started->looks) result.start.piled_up_s = piled_up_s(started->looks->all(), result.threads);
    if (output) result.llc_ratio = output->llc_ratio;
    if (output) result.local_shares = output->local_shares;
    if (output && result.status == TrialStatus::ok) result.metrics = std::move(output->metrics);
    if (output) result.notes = std::move(output->notes);
    if (started->balancer != nullptr) result.balance = {started->balancer->moves(), started->balancer->summary()};
    if (!started->note.empty()) result.notes.push_back(started->note);
    add_process_notes(group, result);
    if (spec.external || result.status == TrialStatus::failed) save_text(spec, group, result);
    if (started->pages) save_pages(spec, *started->pages);
    return result;
}

void ProcessExecutor::save_text(const TrialSpec& spec, const GroupResult& group, TrialResult& result) const {
    for (const auto& [ending, text] : {std::pair{"out", &group.out}, std::pair{"err", &group.err}}) {
        if (text->empty()) continue;
        const std::string name = fmt::format("{:04}.{}", spec.trial, ending);
        std::ofstream file(fmt::format("{}/{}", options_.output_folder, name), std::ios::binary);
        errno = 0;
        if (!(file << *text).flush())
            result.notes.push_back(fmt::format("output/{} is not whole: {}", name, std::strerror(errno)));
    }
}

void ProcessExecutor::save_pages(const TrialSpec& spec, const PageLog& pages) const {
    // A courtesy: nothing is computed from it.
    std::ofstream(fmt::format("{}/{:04}.pages.json", options_.output_folder, spec.trial))
        << pages.document().dump(2) << '\n';
}

}  // namespace pinwise
