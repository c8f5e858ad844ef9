#include "tests/lab/programs/placement_run.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include <fmt/core.h>

#include "runner/sched_trace/trace_reader.hpp"

namespace pinwise::lab {

namespace {

InitialPlacement placement_from(std::vector<int> cpus, std::span<const SchedEvent> events,
                                std::span<const SpinningThread> threads, bool since_started) {
    InitialPlacement placement{.cpus = std::move(cpus)};
    const std::int64_t begin_ns = threads.front().started_ns;
    for (const SchedEvent& event : events) {
        if (event.kind != SchedEvent::Kind::migration || event.from_cpu == event.cpu) continue;
        const auto thread = std::ranges::find(threads, event.tid, &SpinningThread::tid);
        if (thread == threads.end()) continue;
        const bool creator = thread == threads.begin();
        if (event.time_ns < (since_started || creator ? thread->started_ns : begin_ns)) continue;
        ++placement.migrations;
        placement.stable_after_ns = std::max(placement.stable_after_ns, event.time_ns - begin_ns);
    }
    return placement;
}

}  // namespace

Result<std::vector<SchedEvent>> parse_sched_events(std::string_view trace) {
    std::vector<SchedEvent> events;
    TraceReader reader("trace", [&events](const SchedEvent& event) -> Result<void> {
        events.push_back(event);
        return {};
    });
    auto read = reader.add(trace);
    if (read) read = reader.finish();
    if (!read) return tl::unexpected<Error>(read.error());
    const TraceGaps& gaps = reader.gaps();
    if (gaps.lost_events > 0 || gaps.lost_uncounted || gaps.cut_off_line > 0)
        return failure(fmt::format("the trace is not complete: {} events lost", gaps.lost_events));
    return events;
}

Result<std::vector<SpinningThread>> parse_spinning_threads(std::string_view text) {
    std::vector<SpinningThread> threads;
    std::istringstream lines{std::string(text)};
    std::string line;
    if (!std::getline(lines, line) || line != "tid started_ns first_cpu last_cpu") {
        return failure(fmt::format("spin_threads printed \"{}\"", line));
    }
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        SpinningThread thread;
        if (!(words >> thread.tid >> thread.started_ns >> thread.first_cpu >> thread.last_cpu)) {
            return failure(fmt::format("spin_threads printed \"{}\"", line));
        }
        threads.push_back(thread);
    }
    if (threads.empty()) return failure("spin_threads printed no threads");
    return threads;
}

Result<PlacementRun> placement_run(std::span<const SchedEvent> events, std::span<const SpinningThread> threads) {
    std::vector<int> chosen{threads.front().first_cpu};
    std::vector<int> started{threads.front().first_cpu};
    for (const SpinningThread& thread : threads.subspan(1)) {
        const auto birth = std::ranges::find_if(events, [&thread](const SchedEvent& event) {
            return event.kind == SchedEvent::Kind::new_thread && event.tid == thread.tid;
        });
        if (birth == events.end())
            return failure(fmt::format("the trace has no sched_wakeup_new of thread {}", thread.tid));
        chosen.push_back(birth->cpu);
        started.push_back(thread.first_cpu);
    }
    return PlacementRun{.chosen = placement_from(std::move(chosen), events, threads, false),
                        .started = placement_from(std::move(started), events, threads, true)};
}

}  // namespace pinwise::lab
