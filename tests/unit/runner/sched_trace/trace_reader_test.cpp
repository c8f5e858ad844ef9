// Inputs of any length and any condition.

#include "runner/sched_trace/trace_reader.hpp"

#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <unistd.h>

namespace pinwise {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

const std::string first = "s-1 [0] d..2. 1.5: sched_wakeup_new: comm=s pid=5 prio=120 target_cpu=001\n";
const std::string second = "s-1 [0] d..2. 1.6: sched_migrate_task: comm=s pid=5 prio=120 orig_cpu=1 dest_cpu=2\n";

struct Reading {
    std::vector<SchedEvent> events;
    TraceGaps gaps;
    std::string error;
};

/// The text in pieces of that size.
Reading read(std::string_view text, std::size_t piece = 4096) {
    Reading reading;
    TraceReader reader("t.txt", [&](const SchedEvent& event) -> Result<void> {
        reading.events.push_back(event);
        return {};
    });
    Result<void> state;
    while (state && !text.empty()) {
        state = reader.add(text.substr(0, piece));
        text.remove_prefix(std::min(piece, text.size()));
    }
    if (state) state = reader.finish();
    if (!state) reading.error = state.error().message;
    reading.gaps = reader.gaps();
    return reading;
}

TEST(TraceReader, GivesTheSameEventsHoweverTheInputIsCut) {
    for (const std::size_t piece : {1U, 2U, 7U, 80U, 4096U}) {
        const Reading reading = read("# a header\n\n" + first + second, piece);
        EXPECT_EQ(reading.error, "");
        ASSERT_THAT(reading.events, SizeIs(2)) << piece;
        EXPECT_EQ(reading.events[1].cpu, 2);
        EXPECT_EQ(reading.gaps.cut_off_line, 0);
    }
}

TEST(TraceReader, NamesFileAndLineOfWhatCannotBeRead) {
    const Reading reading = read(first + "s-1 [0] d..2. 1.6: sched_wakeup_new: comm=s pid=\n" + second);
    EXPECT_EQ(reading.error, "t.txt:2: no readable target_cpu: \"s-1 [0] d..2. 1.6: sched_wakeup_new: comm=s pid=\"");
}

TEST(TraceReader, LeavesOutALastLineWhoseNumberMayBeCut) {
    for (std::size_t length = 1; length < second.size(); ++length) {
        const Reading reading = read(first + second.substr(0, length));
        EXPECT_EQ(reading.error, "") << length;
        EXPECT_THAT(reading.events, SizeIs(1)) << length;
        EXPECT_EQ(reading.gaps.cut_off_line, 2) << length;
    }
    EXPECT_EQ(read(first + "  \t").gaps.cut_off_line, 0);
}

TEST(TraceReader, TakesALastLineWithoutEndThatIsComplete) {
    const Reading reading = read(first + second.substr(0, second.size() - 1) + " END {0}{1}");
    EXPECT_THAT(reading.events, SizeIs(2));
    EXPECT_EQ(reading.gaps.cut_off_line, 0);
    EXPECT_EQ(read("... 5 migrations").gaps.elided_migrations, 5);
}

TEST(TraceReader, ReadsLinesThatEndAsInWindows) {
    std::string text;
    for (const char c : first + second) {
        if (c == '\n') text.push_back('\r');
        text.push_back(c);
    }
    EXPECT_THAT(read(text).events, SizeIs(2));
}

TEST(TraceReader, RefusesNulBytesAndEndlessLines) {
    std::string damaged = first + second;
    damaged[first.size() + 20] = '\0';
    EXPECT_THAT(read(damaged).error, StartsWith("t.txt:2: a NUL byte"));
    EXPECT_THAT(read(std::string("\x17\x08\x44tracing\0\0", 12) + "\n").error, HasSubstr("trace-cmd report"));
    EXPECT_THAT(read(std::string("abc\0", 4)).error, StartsWith("t.txt:1: a NUL byte")) << "also without a line end";
    EXPECT_THAT(read(first + std::string(TraceReader::max_line_bytes + 1, 'x')).error,
                StartsWith("t.txt:2: a line of more than 65536 bytes"));
    EXPECT_EQ(read(std::string(TraceReader::max_line_bytes, 'x') + "\n" + first).error, "");
}

TEST(TraceReader, AddsUpWhatIsMissing) {
    const Reading reading = read("CPU:1 [LOST 3 EVENTS]\n" + first + "CPU:2 [LOST EVENTS]\n... 7 migrations\n" +
                                 "CPU:1 [LOST 4 EVENTS]\n... 2 migrations\n");
    EXPECT_EQ(reading.gaps.lost_events, 7);
    EXPECT_TRUE(reading.gaps.lost_uncounted);
    EXPECT_EQ(reading.gaps.elided_migrations, 9);
}

TEST(TraceReader, CountsEventsOutOfOrder) {
    EXPECT_EQ(read(first + second).gaps.out_of_order, 0);
    EXPECT_EQ(read(second + first).gaps.out_of_order, 1);
}

TEST(TraceReader, AnErrorOfTheHandlerGetsFileAndLine) {
    TraceReader reader("t.txt", [](const SchedEvent&) -> Result<void> { return usage_error("CPU 1 is not here"); });
    const auto added = reader.add("\n" + first);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().message, "t.txt:2: CPU 1 is not here");
    EXPECT_EQ(added.error().kind, ErrorKind::usage);
}

TEST(TraceReader, DamagedTextIsReadOrRefusedWithItsLine) {
    std::mt19937 random(2022);  // the same damage in every run
    const auto below = [&random](std::size_t limit) { return random() % limit; };
    for (const std::string file :
         {"ftrace.txt", "ftrace-latency-format.txt", "trace-cmd-report.txt", "perf-script.txt", "mailed-excerpt.txt"}) {
        const std::ifstream stream(PINWISE_SOURCE_DIR "/tests/data/traces/" + file);
        std::ostringstream whole;
        whole << stream.rdbuf();
        for (int round = 0; round < 2000; ++round) {
            std::string text = whole.str();
            for (std::size_t damage = below(6); damage > 0; --damage) {
                constexpr std::array bytes{'0', '1', '9', ' ', '.', ':', '-',  '[',  ']',
                                           '{', '}', '/', '=', '>', 'u', '\n', '\0', '\xff'};
                text[below(text.size())] = bytes[below(bytes.size())];
            }
            text.resize(text.size() - below(text.size() / 4));
            const Reading reading = read(text, 1 + below(300));
            EXPECT_TRUE(reading.error.empty() || reading.error.starts_with("t.txt:")) << reading.error;
            for (const SchedEvent& event : reading.events) {
                EXPECT_GE(event.cpu, 0);
                EXPECT_GT(event.tid, 0);
                EXPECT_GE(event.time_ns, 0);
            }
        }
    }
}

TEST(TraceReader, ReadsADescriptorToItsEnd) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    ASSERT_EQ(write(ends[1], first.data(), first.size()), static_cast<ssize_t>(first.size()));
    close(ends[1]);
    int events = 0;
    TraceReader reader("t.txt", [&events](const SchedEvent&) -> Result<void> {
        ++events;
        return {};
    });
    EXPECT_TRUE(read_trace(ends[0], "t.txt", reader));
    EXPECT_EQ(events, 1);
    close(ends[0]);
    const auto closed = read_trace(ends[0], "t.txt", reader);
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().kind, ErrorKind::failure);
}

}  // namespace
}  // namespace pinwise
