// What a trace comes down to: on traces of our own, and on the published ones of 2022.

#include "runner/sched_trace/placement_history.hpp"

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/machines.hpp"

namespace pinwise {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const std::string data_folder = PINWISE_SOURCE_DIR "/tests/data/traces/";
const std::string published_folder = PINWISE_SOURCE_DIR "/../shared/cases/traces/";

std::string file_text(const std::string& path) {
    const std::ifstream stream(path);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

Result<PlacementHistory> read(const std::string& text, const Machine& machine, const ThreadFilter& filter) {
    HistoryBuilder builder(machine, filter);
    TraceReader reader("t", [&builder](const SchedEvent& event) { return builder.add(event); });
    auto state = reader.add(text);
    if (state) state = reader.finish();
    if (!state) return tl::unexpected<Error>(state.error());
    return builder.finish(reader.gaps());
}

PlacementHistory history(const std::string& text, const std::string& machine = test::two_small_nodes,
                         const ThreadFilter& filter = {}) {
    auto result = read(text, test::load(machine), filter);
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(PlacementHistory{});
}

std::string created(int tid, int cpu, const std::string& time, int creator = 1, int creator_cpu = 0,
                    const std::string& comm = "s") {
    return fmt::format("{}-{} [{:03}] d..2. {}: sched_wakeup_new: comm={} pid={} prio=120 target_cpu={:03}\n", comm,
                       creator, creator_cpu, time, comm, tid, cpu);
}

std::string moved(int tid, int from, int to, const std::string& time, const std::string& comm = "s") {
    return fmt::format("<idle>-0 [000] d..2. {}: sched_migrate_task: comm={} pid={} prio=120 orig_cpu={} dest_cpu={}\n",
                       time, comm, tid, from, to);
}

std::vector<std::string> node_counts(const PlacementHistory& history) {
    std::vector<std::string> rows;
    for (const NodeCounts& row : history.node_counts)
        rows.push_back(fmt::format("{} {}", row.time_ns / 1000, format_node_counts(row.counts)));
    return rows;
}

TEST(PlacementHistory, IsTheSameInEveryFormat) {
    struct Fixture {
        std::string file;
        ThreadFilter filter;
    };
    for (const auto& [file, filter] : {Fixture{"ftrace.txt", {.comm = {}, .tid = 300}},
                                       {"ftrace.txt", {.comm = "two words"}},
                                       {"ftrace-no-irq-info.txt", {}},
                                       {"ftrace-latency-format.txt", {}},
                                       {"trace-cmd-report.txt", {}},
                                       {"perf-script.txt", {}}}) {
        const PlacementHistory read = history(file_text(data_folder + file), test::two_small_nodes, filter);
        ASSERT_THAT(read.threads, SizeIs(4)) << file;
        EXPECT_EQ(read.threads[0].tid, 300) << file;
        EXPECT_EQ(read.threads[0].source, FirstCpuSource::creator) << file;
        EXPECT_EQ(read.threads[0].first_cpu, 1) << file;
        EXPECT_EQ(read.threads[0].comm, "two words") << file;
        EXPECT_FALSE(read.threads[0].born_ns);
        EXPECT_EQ(read.threads[3].comm, "two words") << file;
        EXPECT_EQ(read.threads[3].first_cpu, 1) << file;
        EXPECT_EQ(read.threads[3].last_cpu, 5) << file;
        EXPECT_EQ(read.threads[3].born_ns, 100'000) << file;
        EXPECT_EQ(read.created, 3) << file;
        ASSERT_TRUE(read.initial) << file;
        EXPECT_THAT(read.initial->threads_per_node, ElementsAre(4, 0)) << file;
        EXPECT_EQ(read.initial->cpus_used, 3) << file;
        EXPECT_EQ(read.initial->llcs_used, 1) << file;
        EXPECT_EQ(read.initial->most_on_one_cpu, 2) << file;
        EXPECT_EQ(read.last->cpus_used, 4) << file;
        EXPECT_EQ(read.migrations, 2) << file << ": a move to the same CPU is none";
        EXPECT_EQ(read.across_llc, 1) << file;
        EXPECT_EQ(read.across_node, 1) << file;
        EXPECT_EQ(read.last_migration_ns, 39'900'000) << file;
        EXPECT_EQ(read.contradictions, 0) << file;
        EXPECT_THAT(node_counts(read), ElementsAre("100 {4}{0}", "39900 {3}{1}")) << file;
    }
}

TEST(PlacementHistory, ThreadsCreatedInARowAreOneChangeOfTheNodeCounts) {
    const PlacementHistory read = history(created(2, 1, "1.0") + created(3, 4, "1.1") + moved(2, 1, 5, "1.2") +
                                          created(4, 2, "1.3") + created(5, 3, "1.4"));
    EXPECT_THAT(node_counts(read), ElementsAre("100000 {2}{1}", "200000 {1}{2}", "400000 {3}{2}"));
}

TEST(PlacementHistory, WhatCameBeforeTheFirstCreationBelongsToTheLaunch) {
    const PlacementHistory read = history(moved(1, 7, 2, "0.5") + created(2, 1, "1.0", 1, 2) + moved(2, 1, 3, "1.25"));
    EXPECT_EQ(read.migrations, 1);
    EXPECT_EQ(read.migrations_before_start, 1);
    EXPECT_EQ(read.threads[0].first_cpu, 2);
    EXPECT_EQ(read.threads[0].source, FirstCpuSource::creator);
    EXPECT_THAT(read.initial->threads_per_node, ElementsAre(2, 0));
    EXPECT_EQ(read.last_migration_ns, 250'000'000);
}

TEST(PlacementHistory, FollowsOneThreadAndAllThatItCreates) {
    const std::string text = created(10, 0, "0.1", 1, 7, "launch") + created(11, 1, "1.0", 10) +
                             created(12, 2, "1.1", 11, 1, "other") + created(13, 3, "1.2", 99, 5) +
                             moved(13, 3, 4, "1.3") + moved(12, 2, 4, "1.4", "renamed");
    const PlacementHistory family = history(text, test::two_small_nodes, {.comm = {}, .tid = 10});
    ASSERT_THAT(family.threads, SizeIs(3));
    EXPECT_EQ(family.migrations, 1);
    EXPECT_EQ(family.contradictions, 0);
    const PlacementHistory named = history(text, test::two_small_nodes, {.comm = "other", .tid = 10});
    ASSERT_THAT(named.threads, SizeIs(2)) << "thread 12 and its creator, though thread 11 has another name";
    EXPECT_EQ(named.threads[1].tid, 12);
    EXPECT_EQ(named.migrations, 1) << "a thread that renamed itself stays the same one";
    const PlacementHistory by_name = history(text, test::two_small_nodes, {.comm = "s"});
    EXPECT_EQ(by_name.created, 2);
}

TEST(PlacementHistory, AProgramThatCreatesNoThreadIsItsFirstThread) {
    const PlacementHistory read = history(created(10, 3, "0.1", 1, 7, "launch") + moved(10, 3, 5, "0.2", "launch"),
                                          test::two_small_nodes, {.comm = {}, .tid = 10});
    ASSERT_THAT(read.threads, SizeIs(1));
    EXPECT_EQ(read.threads[0].first_cpu, 3);
    EXPECT_EQ(read.migrations, 1);
    EXPECT_EQ(read.created, 0);
}

TEST(PlacementHistory, ANumberThatIsUsedAgainIsANewThread) {
    const PlacementHistory read =
        history(created(2, 1, "1.0") + moved(2, 1, 5, "1.1") + created(2, 3, "1.2") + moved(2, 3, 2, "1.3"));
    ASSERT_THAT(read.threads, SizeIs(3));
    EXPECT_TRUE(read.threads[1].replaced);
    EXPECT_EQ(read.threads[1].last_cpu, 5);
    EXPECT_EQ(read.threads[2].last_cpu, 2);
    EXPECT_THAT(read.last->threads_per_node, ElementsAre(2, 0));
    EXPECT_EQ(read.contradictions, 0);
}

TEST(PlacementHistory, NoticesThatEventsAreMissing) {
    const PlacementHistory read = history(created(2, 1, "1.0") + moved(2, 3, 5, "1.1"));
    EXPECT_EQ(read.contradictions, 1);
    EXPECT_EQ(history(created(2, 1, "1.0", 1, 0) + created(3, 1, "1.1", 1, 6)).contradictions, 1) << "of the creator";
}

TEST(PlacementHistory, WithoutACreationThereIsNoInitialPlacement) {
    const PlacementHistory read = history(moved(2, 1, 5, "1.0") + moved(2, 5, 6, "1.5"));
    EXPECT_FALSE(read.initial);
    EXPECT_EQ(read.threads[0].source, FirstCpuSource::migration);
    EXPECT_EQ(read.last_migration_ns, 500'000'000);
}

TEST(PlacementHistory, RefusesCpusAndNodesThatTheMachineDoesNotHave) {
    const Machine machine = test::load(test::two_small_nodes);
    const auto error = [&](const std::string& text) {
        const auto result = read(text, machine, {});
        EXPECT_FALSE(result);
        return result ? "" : result.error().message;
    };
    EXPECT_THAT(error(created(2, 8, "1.0")),
                AllOf(HasSubstr("t:1: CPU 8 is not of this machine"), HasSubstr("CPUs 0-7"), HasSubstr("--topology")));
    EXPECT_THAT(error(created(2, 1, "1.0", 1, 70000)), HasSubstr("CPU 70000"));
    EXPECT_THAT(error(moved(2, 9, 1, "1.0")), HasSubstr("CPU 9"));
    EXPECT_THAT(error(moved(2, 1, 2147483647, "1.0")), HasSubstr("CPU 2147483647"));
    EXPECT_THAT(error("1.0: sched_migrate_task: comm=s pid=1 prio=120 orig_cpu=1 dest_cpu=2 {1}{2}{3}\n"),
                HasSubstr("{1}{2}{3} is of 3 nodes, the machine"));
    EXPECT_TRUE(read(created(2, 8, "1.0") + created(3, 1, "1.1", 1, 0, "mine"), machine, {.comm = "mine"}))
        << "threads that are not asked for do not matter";
}

TEST(PlacementHistory, KeepsTheLastChangeHoweverManyThereAre) {
    std::string text = created(2, 1, "1.0");
    for (int i = 0; i < 20'001; ++i)
        text += moved(2, i % 2 == 0 ? 1 : 5, i % 2 == 0 ? 5 : 1, fmt::format("2.{:06}", i));
    const PlacementHistory read = history(text);
    EXPECT_EQ(read.migrations, 20'001);
    ASSERT_EQ(read.node_counts.size(), max_node_counts + 1);
    EXPECT_EQ(read.node_counts_left_out, 20'001 - static_cast<std::int64_t>(max_node_counts));
    EXPECT_EQ(read.node_counts.back().time_ns, 1'020'000'000);
    EXPECT_THAT(read.node_counts.back().counts, ElementsAre(1, 1));
}

TEST(PlacementHistory, TakesTheNodeCountsThatAnExcerptStates) {
    const PlacementHistory read = history(file_text(data_folder + "mailed-excerpt.txt"));
    EXPECT_EQ(read.migrations, 4);
    EXPECT_EQ(read.elided_migrations, 10);
    EXPECT_FALSE(read.last) << "elided migrations may have been of any thread";
    EXPECT_EQ(read.threads[0].migrations, -1);
    EXPECT_EQ(read.last_migration_ns, 2'250'000'000);
    EXPECT_THAT(node_counts(read), ElementsAre("0 {4}{0}", "500000 {3}{1}", "600000 {2}{2}", "2250000 {2}{2}"));
}

struct Published {
    const char* file;
    int creator_cpu;
    std::vector<int> counts;
    int cpus_used;
    int most_on_one_cpu;
    int llcs_used;
    std::int64_t last_creation_ns;
};

TEST(PublishedTraces, StartAsTheirPublicationSays) {
    for (const Published& expected : {Published{"zen3-pinned-5.17-tip.txt", 32, {8, 0}, 4, 5, 4, 312'000},
                                      {"zen3-pinned-v6.txt", 32, {4, 4}, 8, 1, 8, 354'000},
                                      {"zen3-unpinned-5.17-tip.txt", 25, {8, 0}, 8, 1, 8, 319'000},
                                      {"zen3-unpinned-v6.txt", 191, {8, 0}, 8, 1, 8, 323'000}}) {
        const std::string text = file_text(published_folder + expected.file);
        if (text.empty()) GTEST_SKIP() << "no " << published_folder;
        const PlacementHistory read = history(text, test::zen3_nps1, {.comm = "stream"});
        EXPECT_EQ(read.created, 7) << expected.file;
        ASSERT_THAT(read.threads, SizeIs(8)) << expected.file;
        EXPECT_EQ(read.threads[0].first_cpu, expected.creator_cpu) << expected.file;
        EXPECT_EQ(read.initial->threads_per_node, expected.counts) << expected.file;
        EXPECT_EQ(read.initial->cpus_used, expected.cpus_used) << expected.file;
        EXPECT_EQ(read.initial->most_on_one_cpu, expected.most_on_one_cpu) << expected.file;
        EXPECT_EQ(read.initial->llcs_used, expected.llcs_used) << expected.file;
        EXPECT_EQ(read.threads.back().born_ns, expected.last_creation_ns) << expected.file;
        EXPECT_EQ(read.migrations, 0) << expected.file;
        EXPECT_EQ(read.last_migration_ns, 0) << expected.file;
    }
}

TEST(PublishedTraces, MoveAsTheirPublicationSays) {
    const std::string text = file_text(published_folder + "zen3-pinned-5.17-tip-migrations-elided.txt");
    if (text.empty()) GTEST_SKIP() << "no " << published_folder;
    const PlacementHistory read = history(text, test::zen3_nps1);
    EXPECT_EQ(read.migrations, 12);
    EXPECT_EQ(read.elided_migrations, 51);
    EXPECT_EQ(read.across_llc, 12);
    EXPECT_EQ(read.across_node, 8);
    EXPECT_THAT(node_counts(read),
                ElementsAre("0 {8}{0}", "667294 {7}{1}", "667296 {6}{2}", "697465 {5}{3}", "722671 {6}{2}",
                            "748976 {5}{3}", "748982 {4}{4}", "847172 {5}{3}", "2303767 {4}{4}"));
    EXPECT_EQ(read.last_migration_ns, 2'303'767'000);
}

}  // namespace
}  // namespace pinwise
