#include "tests/lab/programs/placement_run.hpp"

#include <gmock/gmock.h>

namespace pinwise::lab {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view trace =
    "# tracer: nop\n"
    "#\n"
    "    spin_threads-300     [008] d...    77.029266: sched_wakeup_new: comm=spin_threads pid=301 prio=120 "
    "target_cpu=008\n"
    "    spin_threads-300     [008] d..2.    77.032295: sched_wakeup_new: comm=spin_threads pid=302 prio=120 "
    "target_cpu=012\n"
    "          <idle>-0       [001] d.s.    77.041651: sched_migrate_task: comm=spin_threads pid=301 prio=120 "
    "orig_cpu=8 dest_cpu=0\n"
    "          <idle>-0       [001] d.s.    77.055544: sched_migrate_task: comm=spin_threads pid=300 prio=120 "
    "orig_cpu=8 dest_cpu=4\n"
    "          <idle>-0       [001] d.s.    77.055600: sched_migrate_task: comm=spin_threads pid=300 prio=120 "
    "orig_cpu=4 dest_cpu=4\n"
    "          <idle>-0       [001] d.s.    77.065573: sched_migrate_task: comm=spin_threads pid=999 prio=120 "
    "orig_cpu=8 dest_cpu=4\n";

constexpr std::string_view threads =
    "tid started_ns first_cpu last_cpu\n"
    "300 77020000000 8 4\n"
    "301 77050000000 0 0\n"
    "302 77033000000 12 12\n";

PlacementRun run_of(std::string_view trace_text, std::string_view threads_text) {
    const auto run = placement_run(*parse_sched_events(trace_text), *parse_spinning_threads(threads_text));
    return run.value_or(PlacementRun{});
}

TEST(PlacementRun, ReadsBothKindsOfEventsAndSkipsOtherLines) {
    const auto events = parse_sched_events(trace);
    ASSERT_TRUE(events);
    ASSERT_THAT(*events, SizeIs(6));
    EXPECT_EQ(events->at(0).kind, SchedEvent::Kind::new_thread);
    EXPECT_EQ(events->at(0).time_ns, 77'029'266'000);
    EXPECT_EQ(events->at(0).tid, 301);
    EXPECT_EQ(events->at(0).cpu, 8);
    EXPECT_EQ(events->at(2).kind, SchedEvent::Kind::migration);
    EXPECT_EQ(events->at(2).from_cpu, 8);
    EXPECT_EQ(events->at(2).cpu, 0);
}

TEST(PlacementRun, TheKernelsChoiceIsNotWhereAThreadThatWasMovedStarted) {
    const PlacementRun run = run_of(trace, threads);
    EXPECT_THAT(run.chosen.cpus, ElementsAre(8, 8, 12));
    EXPECT_THAT(run.started.cpus, ElementsAre(8, 0, 12));
}

TEST(PlacementRun, CountsMigrationsOfTheProgramsThreadsToAnotherCpu) {
    const PlacementRun run = run_of(trace, threads);
    EXPECT_EQ(run.chosen.migrations, 2);
    EXPECT_EQ(run.started.migrations, 1) << "the move of thread 301 came before its first statement";
    EXPECT_EQ(run.chosen.stable_after_ns, 35'544'000);
    EXPECT_EQ(run.started.stable_after_ns, 35'544'000);
}

TEST(PlacementRun, RefusesATraceThatLostEvents) {
    const auto events = parse_sched_events("CPU:3 [LOST 17 EVENTS]\n");
    ASSERT_FALSE(events);
    EXPECT_THAT(events.error().message, HasSubstr("17 events lost"));
}

TEST(PlacementRun, RefusesAThreadThatTheTraceDoesNotKnow) {
    const auto threads_read = parse_spinning_threads(threads);
    ASSERT_TRUE(threads_read);
    const auto run = placement_run({}, *threads_read);
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().message, HasSubstr("thread 301"));
}

TEST(PlacementRun, RefusesOutputThatIsNotOfSpinThreads) {
    EXPECT_FALSE(parse_spinning_threads(""));
    EXPECT_FALSE(parse_spinning_threads("tid started_ns first_cpu last_cpu\n"));
    EXPECT_FALSE(parse_spinning_threads("tid started_ns first_cpu last_cpu\n300 77 x 4\n"));
    EXPECT_THAT(*parse_sched_events("we look at sched_wakeup_new: nothing else\n"), IsEmpty());
    EXPECT_FALSE(parse_sched_events("s-1 [0] 1.5: sched_wakeup_new: nothing else\n"));
}

}  // namespace

}  // namespace pinwise::lab
