// One line of a trace in each of the formats, and in all of their oddities.

#include "runner/sched_trace/trace_line.hpp"

#include <gmock/gmock.h>

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SchedEvent event(std::string_view line) {
    const TraceLine read = parse_trace_line(line);
    EXPECT_TRUE(std::holds_alternative<SchedEvent>(read)) << line;
    const auto* found = std::get_if<SchedEvent>(&read);
    return found == nullptr ? SchedEvent{} : *found;
}

bool is_other(std::string_view line) {
    return std::holds_alternative<std::monostate>(parse_trace_line(line));
}

std::string why_unreadable(std::string_view line) {
    const TraceLine read = parse_trace_line(line);
    const auto* found = std::get_if<UnreadableLine>(&read);
    EXPECT_NE(found, nullptr) << line;
    return found == nullptr ? "" : found->reason;
}

std::int64_t lost(std::string_view line) {
    const TraceLine read = parse_trace_line(line);
    const auto* found = std::get_if<LostEvents>(&read);
    EXPECT_NE(found, nullptr) << line;
    return found == nullptr ? -2 : found->count.value_or(-1);
}

TEST(TraceLine, ReadsANewThreadOfFtrace) {
    const SchedEvent read =
        event("stream-5045 [032] d..2. 167.914699: sched_wakeup_new: comm=stream pid=5047 prio=120 target_cpu=048");
    EXPECT_EQ(read.kind, SchedEvent::Kind::new_thread);
    EXPECT_EQ(read.time_ns, 167'914'699'000);
    EXPECT_EQ(read.tid, 5047);
    EXPECT_EQ(read.comm, "stream");
    EXPECT_EQ(read.cpu, 48) << "decimal, whatever the leading zeros";
    EXPECT_EQ(read.from_cpu, -1);
    EXPECT_EQ(read.running_tid, 5045);
    EXPECT_EQ(read.running_cpu, 32);
    EXPECT_THAT(read.stated_counts, IsEmpty());
}

TEST(TraceLine, ReadsAMigration) {
    const SchedEvent read = event(
        "          <idle>-0       [001] d.s.    77.041651: sched_migrate_task: comm=x pid=301 prio=120 orig_cpu=8 "
        "dest_cpu=0");
    EXPECT_EQ(read.kind, SchedEvent::Kind::migration);
    EXPECT_EQ(read.from_cpu, 8);
    EXPECT_EQ(read.cpu, 0);
    EXPECT_EQ(read.running_tid, 0);
}

TEST(TraceLine, ReadsEveryPrefix) {
    constexpr std::string_view fields = " comm=s pid=2 prio=120 target_cpu=004";
    for (const std::string prefix :
         {"s-1 [003] d..2. 1.000002: sched_wakeup_new:", "s-1 [003] 1.000002: sched_wakeup_new:",
          "  a b-1   (      1) [003] d..2.     1.000002: sched_wakeup_new:",
          "s-1 (-------) [003] d..2. 1.000002: sched_wakeup_new:", "> > s-1 [003] d..2. 1.000002: sched_wakeup_new:",
          "s 1 [003] 1.000002: sched:sched_wakeup_new:", "a b 77/1 [003] 1.000002000:  1  sched:sched_wakeup_new:",
          "a-7 b [x]:-1 [003] d..2. 1.000002: sched_wakeup_new:", "kworker/0:1-1 [003] 1.000002: sched_wakeup_new:",
          "s-1       3d..2. 1000002us+: sched_wakeup_new:", "s-1 3dn.2. 1000002us : sched_wakeup_new:"}) {
        const SchedEvent read = event(prefix + std::string(fields));
        EXPECT_EQ(read.time_ns, 1'000'002'000) << prefix;
        EXPECT_EQ(read.running_cpu, 3) << prefix;
        EXPECT_EQ(read.running_tid, 1) << prefix;
        EXPECT_EQ(read.tid, 2) << prefix;
    }
}

TEST(TraceLine, APrefixOfNothingButTheTimeHasNoTask) {
    const SchedEvent read = event("167.928338: sched_migrate_task: comm=s pid=5050 prio=120 orig_cpu=32 dest_cpu=48");
    EXPECT_EQ(read.time_ns, 167'928'338'000);
    EXPECT_EQ(read.running_tid, -1);
    EXPECT_EQ(read.running_cpu, -1);
}

TEST(TraceLine, ReadsTheShortFieldsOfTraceCmdAndPerf) {
    for (const std::string fields : {"stream:5047 [120] CPU:048", "stream:5047 [120] success=1 CPU:048"}) {
        const SchedEvent read = event("stream-5045 [032] 167.914699: sched_wakeup_new:     " + fields);
        EXPECT_EQ(read.tid, 5047);
        EXPECT_EQ(read.comm, "stream");
        EXPECT_EQ(read.cpu, 48);
    }
    const SchedEvent read = event("s-1 [0] 1.5: sched_wakeup_new: a:1 [2]:7:9 [120] CPU:003");
    EXPECT_EQ(read.comm, "a:1 [2]:7");
    EXPECT_EQ(read.tid, 9);
}

TEST(TraceLine, ANameMayLookLikeFields) {
    const SchedEvent read =
        event("s-1 [0] 1.5: sched_wakeup_new: comm=two pid=1 x pid=5049 prio=120 success=1 target_cpu=008");
    EXPECT_EQ(read.comm, "two pid=1 x");
    EXPECT_EQ(read.tid, 5049);
    EXPECT_EQ(read.cpu, 8);
    EXPECT_EQ(event("s-1 [0] 1.5: sched_wakeup_new: comm= pid=3 prio=120 target_cpu=008").comm, "");
}

TEST(TraceLine, ToleratesRemarksAndReadsTheNodeCountsInThem) {
    const std::string line = "1.5: sched_migrate_task: comm=s pid=3 prio=120 orig_cpu=1 dest_cpu=2";
    EXPECT_THAT(event(line + " (LLC: 6)").stated_counts, IsEmpty());
    EXPECT_THAT(event(line + " START - {8}{0}").stated_counts, ElementsAre(8, 0));
    EXPECT_THAT(event(line + " * {4}{3}{1} here").stated_counts, ElementsAre(4, 3, 1));
    EXPECT_THAT(event(line + " {four}{4}").stated_counts, IsEmpty());
    EXPECT_THAT(event(line + " {4}{").stated_counts, IsEmpty());
}

TEST(TraceLine, OtherLinesAreNone) {
    for (const std::string_view line :
         {"", "# tracer: nop", "##### CPU 3 buffer started ####", "cpus=8", "CPU 3 is empty", "version = 7",
          "s-1 [0] d..2. 1.5: sched_switch: prev_comm=a prev_pid=1 ==> next_comm=b next_pid=2",
          "s-1 [0] d..2. 1.5: sched_wakeup: comm=s pid=3 prio=120 target_cpu=001",
          "s-1 [0] d..2. 1.5: tracing_mark_write: sched_wakeup_new: hello", "# filter sched_wakeup_new: comm=x",
          "we look at sched_wakeup_new: it says", "..."})
        EXPECT_TRUE(is_other(line)) << line;
}

TEST(TraceLine, AnEventThatCannotBeReadSaysWhatIsMissing) {
    const std::string prefix = "s-1 [0] d..2. 1.5: ";
    EXPECT_THAT(why_unreadable(prefix + "sched_wakeup_new: comm=s pid=50"), HasSubstr("target_cpu"));
    EXPECT_THAT(why_unreadable(prefix + "sched_wakeup_new: comm=s pid=50 prio=120 target_cpu=x"),
                HasSubstr("target_cpu"));
    EXPECT_THAT(why_unreadable(prefix + "sched_wakeup_new: comm=s pid=50 prio=120 target_cpu=-1"),
                HasSubstr("target_cpu"));
    EXPECT_THAT(why_unreadable(prefix + "sched_wakeup_new: comm=s pid=50 prio=120 target_cpu=99999999999"),
                HasSubstr("target_cpu"));
    EXPECT_THAT(why_unreadable(prefix + "sched_wakeup_new: pid=50 prio=120 target_cpu=001"), HasSubstr("comm"));
    EXPECT_THAT(why_unreadable(prefix + "sched_wakeup_new: comm=s pid=0 prio=120 target_cpu=001"), HasSubstr("pid"));
    EXPECT_THAT(why_unreadable(prefix + "sched_migrate_task: comm=s pid=5 prio=120 orig_cpu=1"), HasSubstr("dest_cpu"));
    EXPECT_THAT(why_unreadable(prefix + "sched_migrate_task: comm=s pid=5 prio=120 dest_cpu=1"), HasSubstr("orig_cpu"));
    EXPECT_THAT(why_unreadable("sched_wakeup_new: comm=s pid=5 prio=120 target_cpu=001"), HasSubstr("no time"));
}

TEST(TraceLine, ATimeThatIsNotInSecondsIsRefused) {
    const std::string fields = ": sched_wakeup_new: comm=s pid=5 prio=120 target_cpu=001";
    for (const std::string time : {"123456", "1.1234567890", "9999999999999999999.5", "1.", "99999999999999999999us"})
        EXPECT_THAT(why_unreadable("s-1 [0] d..2. " + time + fields), HasSubstr("no time in seconds")) << time;
    EXPECT_THAT(why_unreadable("bash 166 4 1 00000002 00000000 [01a044a5] 27280.549ms (+4.835ms)" + fields),
                HasSubstr("verbose latency format"));
}

TEST(TraceLine, KnowsWhatTracersSayOfLostEvents) {
    EXPECT_EQ(lost("CPU:3 [LOST 17 EVENTS]"), 17);
    EXPECT_EQ(lost("CPU:13 [LOST EVENTS]"), -1);
    EXPECT_EQ(lost("CPU:3 [17 EVENTS DROPPED]"), 17);
    EXPECT_EQ(lost("CPU:3 [EVENTS DROPPED]"), -1);
    EXPECT_EQ(lost("swapper     0 [003]    12.500000: PERF_RECORD_LOST lost 17"), 17);
    EXPECT_EQ(lost("# entries-in-buffer/entries-written: 14/30   #P:8"), 16);
    EXPECT_TRUE(is_other("# entries-in-buffer/entries-written: 30/30   #P:8"));
    EXPECT_TRUE(is_other("# entries-in-buffer/entries-written: x/y"));
}

TEST(TraceLine, CountsElidedMigrations) {
    for (const std::string line : {"... 39 migrations", ">   ... 39 migrations", "...39 migrations"}) {
        const TraceLine read = parse_trace_line(line);
        ASSERT_TRUE(std::holds_alternative<ElidedMigrations>(read)) << line;
        EXPECT_EQ(std::get<ElidedMigrations>(read).count, 39);
    }
    EXPECT_TRUE(is_other("... 39 more lines"));
    EXPECT_TRUE(is_other("... migrations"));
}

}  // namespace
}  // namespace pinwise
