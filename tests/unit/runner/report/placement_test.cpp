#include "runner/report/placement.hpp"

#include <gmock/gmock.h>

#include "runner/report/placement_map.hpp"
#include "tests/machines.hpp"

namespace pinwise::report {
namespace {

using testing::HasSubstr;
using testing::Not;

ThreadRow thread(int trial, int index, std::optional<int> cpu) {
    ThreadRow row;
    row.trial = trial;
    row.thread = index;
    row.first_cpu = cpu;
    return row;
}

TrialRow trial(int number, const std::string& counts, const std::string& status = "ok") {
    TrialRow row;
    row.trial = number;
    row.start_counts = counts;
    row.status = status;
    return row;
}

TEST(StrategyPlacement, TakesMediansOverTheTrialsAndShowsTheUsualOne) {
    StrategyColumn column;
    column.trial_numbers = {1, 2, 3, 4, 5};
    column.start_counts = "{2}{0}";
    const std::vector<TrialRow> rows{trial(1, "{1}{1}"), trial(2, "{2}{0}"), trial(3, "{2}{0}"), trial(4, "", "failed"),
                                     trial(5, "{2}{0}")};
    const std::vector<ThreadRow> threads{thread(1, 0, 0), thread(1, 1, 4),  thread(2, 1, 2),
                                         thread(2, 0, 2), thread(3, 0, 1),  thread(3, 1, 2),
                                         thread(4, 0, 0), thread(5, 0, {}), thread(5, 1, 3)};
    const StrategyPlacement placement = placement_of(column, finished_trials(rows), threads_by_trial(threads));
    EXPECT_EQ(placement.trials_known, 3)
        << "not the failed one, and not the one with a thread that nothing is known of";
    EXPECT_EQ(placement.cpus_used, 2);
    EXPECT_EQ(placement.fullest_cpu, 1);
    EXPECT_EQ(placement.shown_trial, 2);
    ASSERT_EQ(placement.threads.size(), 2U);
    EXPECT_EQ(placement.threads[0]->thread, 0) << "in order of creation";
}

TEST(StrategyPlacement, IsEmptyWithoutThreads) {
    StrategyColumn column;
    column.trial_numbers = {1};
    const std::vector<TrialRow> rows{trial(1, "{1}")};
    const StrategyPlacement placement = placement_of(column, finished_trials(rows), {});
    EXPECT_FALSE(placement.cpus_used);
    EXPECT_FALSE(placement.shown_trial);
}

TEST(PlacementMap, ShowsThreadsOnTheirCpusAndPileUpsInWords) {
    const Machine machine = test::load(test::two_small_nodes);
    const std::vector<ThreadRow> threads{thread(1, 0, 0), thread(1, 1, 5), thread(1, 2, 5), thread(1, 3, {})};
    const std::vector<const ThreadRow*> pointers{&threads[0], &threads[1], &threads[2], &threads[3]};
    const std::string map = placement_map(machine, {0, 1, 4, 5}, pointers, "A <b>").markup();
    EXPECT_THAT(map, HasSubstr(R"(<span class="cpu one" title="CPU 0: thread 0">0</span>)"));
    EXPECT_THAT(map, HasSubstr(R"(<span class="cpu many" title="CPU 5: threads 1, 2">2×</span>)"));
    EXPECT_THAT(map, HasSubstr(R"(<span class="cpu" title="CPU 1: no thread"></span>)"));
    EXPECT_THAT(map, HasSubstr(R"(<span class="cpu out" title="CPU 7: outside the mask"></span>)"));
    EXPECT_THAT(map, HasSubstr("A &lt;b&gt;"));
    EXPECT_THAT(map, HasSubstr("package 1"));
}

TEST(PlacementMap, ClosesEveryFrameItOpens) {
    for (const char* const source :
         {test::two_small_nodes, test::zen3_nps4, test::sapphire_rapids_snc4, test::altra_no_l3, "synthetic:PU:1"}) {
        const std::string map = placement_map(test::load(source), {0}, {}, "m").markup();
        std::size_t opened = 0;
        std::size_t closed = 0;
        for (std::size_t at = 0; (at = map.find("<span", at)) != std::string::npos; ++at)
            ++opened;
        for (std::size_t at = 0; (at = map.find("</span", at)) != std::string::npos; ++at)
            ++closed;
        EXPECT_EQ(opened, closed) << source;
    }
}

}  // namespace
}  // namespace pinwise::report
