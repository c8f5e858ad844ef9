#include "runner/cli/trace_record.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "placer/agent/descriptor.hpp"
#include "placer/agent/launch.hpp"
#include "placer/agent/session.hpp"
#include "runner/cli/foreground.hpp"
#include "runner/cli/session_record.hpp"
#include "runner/sched_trace/sched_trace.hpp"

namespace pinwise::cli {

namespace {

LaunchSpec launch_spec(const TraceRecordOptions& options, const Foreground& foreground) {
    LaunchSpec spec;
    spec.command = options.command;
    spec.cpus = options.cpus;
    spec.inheritance = Inheritance::transparent;
    spec.signal_mask = foreground.caller_mask();
    return spec;
}

Result<Descriptor> open_raw_file(const std::string& path) {
    if (path.empty()) return Descriptor();
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return usage_error(fmt::format("--raw {}: {}", path, std::strerror(errno)));
    return Descriptor(file);
}

/// Moves text from the kernel's pipe to the reader, and to the raw file. The first failure ends the moving.
class PipeDrain {
public:
    PipeDrain(Descriptor pipe, Descriptor raw, TraceReader& reader)
        : pipe_(std::move(pipe)), raw_(std::move(raw)), reader_(reader) {}

    void drain() {
        std::array<char, 1 << 16> buffer{};
        while (state_) {
            const ssize_t count = ::read(pipe_.get(), buffer.data(), buffer.size());
            if (count < 0 && errno == EINTR) continue;
            if (count == 0 || (count < 0 && errno == EAGAIN)) return;
            if (count < 0) {
                state_ = failure(fmt::format("trace_pipe: {}", std::strerror(errno)));
                return;
            }
            take({buffer.data(), static_cast<std::size_t>(count)});
        }
    }

    [[nodiscard]] const Result<void>& state() const { return state_; }

private:
    void take(std::string_view text) {
        if (raw_.get() >= 0) {
            if (const int error = write_all(raw_.get(), text); error != 0)
                state_ = failure(fmt::format("--raw: {}", std::strerror(error)));
        }
        if (state_) state_ = reader_.add(text);
    }

    Descriptor pipe_;
    Descriptor raw_;
    TraceReader& reader_;
    Result<void> state_;
};

Result<TraceReport> report_of(HistoryBuilder& builder, TraceReader& reader, const Result<void>& state) {
    // What the kernel printed was not the user's doing.
    if (!state) return failure(state.error().message);
    if (auto finished = reader.finish(); !finished) return failure(finished.error().message);
    TraceReport report{
        .source = "recorded by the kernel's tracepoints", .history = builder.finish(reader.gaps()), .gaps = {}};
    report.gaps = describe_gaps(reader.gaps(), report.history);
    if (report.history.threads.empty()) return failure("no event of the program's threads was recorded");
    return report;
}

Result<TraceRecording> record_by_tracepoints(const Machine& machine, const TraceRecordOptions& options,
                                             SchedTrace trace, Foreground& foreground) {
    auto raw = open_raw_file(options.raw_file);
    if (!raw) return tl::unexpected(raw.error());
    Descriptor pipe(::open(trace.pipe_file().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (pipe.get() < 0) return failure(fmt::format("{}: {}", trace.pipe_file(), std::strerror(errno)));
    const auto program = launch(launch_spec(options, foreground));
    if (!program) return tl::unexpected(program.error());
    HistoryBuilder builder(machine, {.comm = options.comm, .tid = *program});
    TraceReader reader("trace_pipe", [&builder](const SchedEvent& event) { return builder.add(event); });
    int status = 0;
    Result<void> state;
    {
        // The pipe is closed before the instance goes, which an open file would keep.
        PipeDrain drain(std::move(pipe), std::move(*raw), reader);
        status = foreground.wait_for(*program, {.run = [&drain] { drain.drain(); }});
        trace.stop();
        drain.drain();
        state = drain.state();
    }
    return TraceRecording{status, report_of(builder, reader, state)};
}

/// What the agent knows of the threads: no migration by itself, hence no node counts over time.
PlacementHistory history_of(const std::vector<ThreadRecord>& records, const Machine& machine, const std::string& comm) {
    PlacementHistory history;
    std::vector<int> first;
    std::vector<int> last;
    for (const ThreadRecord& record : records) {
        if (!comm.empty() && record.name != comm) continue;
        const bool initial = record.tid == record.pid;
        TracedThread thread{.tid = record.tid,
                            .comm = record.name,
                            .first_cpu = record.first_cpu,
                            .source = FirstCpuSource::agent,
                            .last_cpu = record.last_cpu,
                            .born_ns = {},
                            .migrations = record.migrations};
        if (!initial) {
            thread.born_ns = record.born_ns - records.front().born_ns;
            ++history.created;
        }
        if (record.first_cpu >= 0) first.push_back(record.first_cpu);
        if (record.last_cpu >= 0) last.push_back(record.last_cpu);
        history.migrations += std::max<std::int64_t>(record.migrations, 0);
        history.threads.push_back(std::move(thread));
    }
    const DomainTree tree = DomainTree::build(machine);
    if (!first.empty()) history.initial = summarize(tree, first);
    history.last = summarize(tree, last);
    return history;
}

Result<TraceReport> report_of(const Session& session, const Machine& machine, const TraceRecordOptions& options,
                              const std::string& why_no_trace) {
    const auto records = session.threads();
    TraceReport report{
        .source = "recorded by the agent", .history = history_of(records, machine, options.comm), .gaps = {}};
    if (report.history.threads.empty()) {
        const std::string why_no_agent = why_agent_cannot_follow(options.command.front());
        return failure(fmt::format("no thread was recorded: {}; {}", why_no_trace,
                                   why_no_agent.empty() ? "none joined the agent's session" : why_no_agent));
    }
    report.gaps.push_back(
        fmt::format("{}: the agent recorded instead, which knows no node counts over time", why_no_trace));
    report.gaps.emplace_back(
        "first CPUs are those that the threads saw by themselves, after the kernel may have moved them");
    if (std::ranges::any_of(report.history.threads, [](const TracedThread& thread) { return thread.migrations < 0; }))
        report.gaps.emplace_back("the migrations of some threads are not known");
    if (const auto missed = session.threads_not_recorded(); missed > 0)
        report.gaps.push_back(fmt::format("{} threads found no free record", missed));
    return report;
}

Result<TraceRecording> record_by_agent(const Machine& machine, const TraceRecordOptions& options,
                                       const std::string& why_no_trace, Foreground& foreground) {
    if (!options.raw_file.empty()) return failure(fmt::format("--raw: there is no trace here: {}", why_no_trace));
    auto session = Session::create(machine, {.policy = "os", .allowed = options.cpus.value_or(machine.allowed)});
    if (!session) return tl::unexpected(session.error());
    LaunchSpec spec = launch_spec(options, foreground);
    spec.environment = session->environment();
    const auto program = launch(spec);
    if (!program) return tl::unexpected(program.error());
    const int status = foreground.wait_for(*program, {.run = [&session] { session->observe(); }});
    session->observe();
    return TraceRecording{status, report_of(*session, machine, options, why_no_trace)};
}

}  // namespace

Result<TraceRecording> record_trace(const Machine& machine, const TraceRecordOptions& options) {
    Foreground foreground;
    auto trace = SchedTrace::open(SchedTrace::Scope::everything);
    if (trace) return record_by_tracepoints(machine, options, std::move(*trace), foreground);
    return record_by_agent(machine, options, trace.error().message, foreground);
}

}  // namespace pinwise::cli
