#include "runner/cli/session_verdict.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "placer/quoted.hpp"
#include "runner/cli/session_record.hpp"

namespace pinwise::cli {

namespace {

std::string number_or_dash(std::int64_t value) {
    return value < 0 ? "-" : std::to_string(value);
}

bool was_placed(const ThreadRecord& thread) {
    return thread.asked_cpu >= 0;
}

bool started_where_asked(const ThreadRecord& thread) {
    return was_placed(thread) && thread.first_cpu == thread.asked_cpu;
}

std::string kept(const ThreadRecord& thread) {
    if (thread.got_count == 0) return "-";
    const std::string own = program_affinity(thread);
    return fmt::format("{}{}{}{}", thread.affinity_kept ? "yes" : "no", own.empty() ? "" : " (program's own ", own,
                       own.empty() ? "" : ")");
}

std::string summary(std::span<const ThreadRecord> threads) {
    const auto placed = std::ranges::count_if(threads, was_placed);
    const auto started = std::ranges::count_if(threads, started_where_asked);
    const auto lost = std::ranges::count_if(
        threads, [](const ThreadRecord& thread) { return was_placed(thread) && !thread.affinity_kept; });
    std::int64_t migrations = 0;
    std::int64_t unknown = 0;
    for (const ThreadRecord& thread : threads) {
        if (thread.migrations < 0)
            ++unknown;
        else
            migrations += thread.migrations;
    }
    const std::string of_placed =
        placed == 0
            ? ""
            : fmt::format(": {} started where asked, {} kept the affinity they were given", started, placed - lost);
    return fmt::format("{} threads, {} placed{}; {} migrations{}", threads.size(), placed, of_placed, migrations,
                       unknown > 0 ? fmt::format(" ({} threads not counted)", unknown) : "");
}

}  // namespace

std::string format_verdict(std::span<const ThreadRecord> threads) {
    constexpr auto line = "{:>6} {:>8} {:>8}  {:<15}  {:>5} {:>5} {:>5}  {:>10}  {}\n";
    std::string text = fmt::format(line, "thread", "pid", "tid", "name", "asked", "got", "first", "migrations", "kept");
    for (const ThreadRecord& thread : threads) {
        text +=
            fmt::format(line, thread.index, thread.pid, thread.tid, printable(thread.name),
                        number_or_dash(thread.asked_cpu), number_or_dash(thread.got_count > 0 ? thread.got_cpu : -1),
                        number_or_dash(thread.first_cpu), number_or_dash(thread.migrations), kept(thread));
    }
    return text + fmt::format("pinwise: {}\n", summary(threads));
}

}  // namespace pinwise::cli
