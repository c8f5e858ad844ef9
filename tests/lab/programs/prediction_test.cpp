#include "tests/lab/programs/prediction.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "placer/policy/policies.hpp"
#include "tests/machines.hpp"

namespace pinwise::lab {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Threads 300 (on CPU 1) to 303 on two nodes of four CPUs, created on the CPUs of `targets`.
Result<Prediction> prediction(const std::vector<int>& targets, const std::vector<int>& creator_cpus,
                              const std::string& rule, const CpuSet& allowed, const std::string& more_events = "") {
    std::string trace;
    std::string threads = "tid started_ns first_cpu last_cpu\n300 77000000000 1 1\n";
    for (std::size_t i = 0; i < targets.size(); ++i) {
        trace += fmt::format("s-300 [{}] d..2. 77.{:06}: sched_wakeup_new: comm=s pid={} prio=120 target_cpu={:03}\n",
                             creator_cpus[i], (i + 1) * 100, 301 + i, targets[i]);
        threads += fmt::format("{} 77000900000 {} {}\n", 301 + i, targets[i], targets[i]);
    }
    const auto events = parse_sched_events(trace + more_events);
    const auto spinning = parse_spinning_threads(threads);
    EXPECT_TRUE(events && spinning);
    const DomainTree tree = DomainTree::build(test::load(test::two_small_nodes));
    return predict(tree, *make_policy("idlest@" + rule).value(), allowed, *events, *spinning);
}

TEST(Prediction, AgreesOnNodeCountsAndCpusUsedWhateverTheOrder) {
    const auto found = prediction({0, 5, 4}, {1, 1, 1}, "v6", CpuSet{0, 1, 4, 5});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->creator_cpu, 1);
    EXPECT_THAT(found->predicted, ElementsAre(1, 4, 0, 5));
    EXPECT_THAT(found->chosen, ElementsAre(1, 0, 5, 4));
    EXPECT_TRUE(found->agrees());
    EXPECT_EQ(found->creator_moves, 0);
    EXPECT_EQ(found->early_migrations, 0);
}

TEST(Prediction, SaysWhatDifferedAndWhatThePlanCouldNotKnow) {
    const auto found =
        prediction({0, 1, 4}, {1, 1, 5}, "v6", CpuSet{0, 1, 4, 5},
                   "<idle>-0 [0] d..2. 77.000250: sched_migrate_task: comm=s pid=300 prio=120 orig_cpu=1 dest_cpu=5\n"
                   "<idle>-0 [0] d..2. 77.000260: sched_migrate_task: comm=x pid=9 prio=120 orig_cpu=1 dest_cpu=5\n"
                   "<idle>-0 [0] d..2. 77.000900: sched_migrate_task: comm=s pid=301 prio=120 orig_cpu=0 dest_cpu=5\n");
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->agrees());
    EXPECT_EQ(found->creator_moves, 1);
    EXPECT_EQ(found->early_migrations, 1);
    EXPECT_EQ(found->difference(DomainTree::build(test::load(test::two_small_nodes))),
              "creator on CPU 1: predicted {2}{2} on 4 CPUs, the kernel {3}{1} on 3; thread 2 was the first on another "
              "node (predicted CPU 4, got 0); moves of the creator while it created: 1; migrations before the last "
              "creation: 1");
}

/// The row that Debian's 5.10.262 needs: 5.5's test, over the allowed CPUs only.
TEST(Prediction, TheFixOf5_10_261SpreadsWhat5_5Stacks) {
    const CpuSet mask{0, 1, 4, 5};
    EXPECT_EQ(prediction({0, 1, 1}, {1, 1, 1}, "5.5", mask)->predicted_summary.cpus_used, 2);
    const auto fixed = prediction({0, 4, 5}, {1, 1, 1}, "5.10.261", mask);
    EXPECT_THAT(fixed->predicted, ElementsAre(1, 0, 4, 5));
    EXPECT_THAT(fixed->predicted_summary.threads_per_node, ElementsAre(2, 2));
    EXPECT_TRUE(fixed->agrees());
}

TEST(Prediction, RefusesARunThatTheTraceDoesNotKnow) {
    const auto spinning = parse_spinning_threads("tid started_ns first_cpu last_cpu\n1 5 1 1\n2 5 1 1\n");
    const DomainTree tree = DomainTree::build(test::load(test::two_small_nodes));
    const auto found = predict(tree, *make_policy("idlest").value(), CpuSet{0}, {}, *spinning);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message, HasSubstr("thread 2"));
}

}  // namespace

}  // namespace pinwise::lab
