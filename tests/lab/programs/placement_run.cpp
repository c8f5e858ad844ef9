#include "tests/lab/programs/placement_run.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string>

#include <fmt/core.h>

namespace pinwise::lab {

namespace {

/// The number behind `key` in the line, after zeros that pad it.
std::optional<int> number_after(std::string_view line, std::string_view key) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    line.remove_prefix(at + key.size());
    int value = 0;
    if (std::from_chars(line.data(), line.data() + line.size(), value).ec != std::errc()) return std::nullopt;
    return value;
}

/// The "SECONDS.MICROSECONDS: " in front of the event's name.
std::optional<std::int64_t> time_before(std::string_view line, std::string_view event) {
    const std::string_view before = line.substr(0, line.find(event));
    const std::size_t end = before.rfind(": ");
    if (end == std::string_view::npos) return std::nullopt;
    const std::size_t begin = before.rfind(' ', end) + 1;
    const std::size_t point = before.find('.', begin);
    if (point == std::string_view::npos || end - point != 7) return std::nullopt;
    std::int64_t seconds = 0;
    std::int64_t microseconds = 0;
    std::from_chars(before.data() + begin, before.data() + point, seconds);
    std::from_chars(before.data() + point + 1, before.data() + end, microseconds);
    return (seconds * 1'000'000 + microseconds) * 1000;
}

std::optional<SchedEvent> parse_event(std::string_view line) {
    for (const auto kind : {SchedEvent::Kind::wakeup_new, SchedEvent::Kind::migrate}) {
        const bool is_new = kind == SchedEvent::Kind::wakeup_new;
        const std::string_view name = is_new ? " sched_wakeup_new: " : " sched_migrate_task: ";
        if (line.find(name) == std::string_view::npos) continue;
        const auto time_ns = time_before(line, name.substr(1));
        const auto tid = number_after(line, " pid=");
        const auto cpu = number_after(line, is_new ? " target_cpu=" : " dest_cpu=");
        if (!time_ns || !tid || !cpu) return std::nullopt;
        return SchedEvent{kind, *time_ns, *tid, number_after(line, " orig_cpu=").value_or(-1), *cpu};
    }
    return std::nullopt;
}

InitialPlacement placement_from(std::vector<int> cpus, std::span<const SchedEvent> events,
                                std::span<const SpinningThread> threads, bool since_started) {
    InitialPlacement placement{.cpus = std::move(cpus)};
    const std::int64_t begin_ns = threads.front().started_ns;
    for (const SchedEvent& event : events) {
        if (event.kind != SchedEvent::Kind::migrate || event.from_cpu == event.cpu) continue;
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
    std::istringstream lines{std::string(trace)};
    for (std::string line; std::getline(lines, line);) {
        if (line.find("[LOST ") != std::string::npos) return failure(fmt::format("events were lost: {}", line));
        if (const auto event = parse_event(line)) events.push_back(*event);
    }
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
            return event.kind == SchedEvent::Kind::wakeup_new && event.tid == thread.tid;
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
