#include "placer/policy/plan.hpp"

#include <gmock/gmock.h>

#include "placer/policy/policies.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PlanOnTwoNodes : public testing::Test {
protected:
    [[nodiscard]] Result<Plan> plan(const std::string& policy, const PlacementRequest& request) const {
        return make_plan(tree_, *make_policy(policy).value(), request, Reasons::drop);
    }

    DomainTree tree_ = DomainTree::build(test::load(test::two_small_nodes));
};

std::vector<int> cpus_of(const Plan& plan) {
    std::vector<int> cpus;
    for (const Placement& placement : plan.threads)
        cpus.push_back(placement.cpu);
    return cpus;
}

TEST_F(PlanOnTwoNodes, AnExplicitListPlacesTheInitialThreadTooAndStartsOver) {
    EXPECT_THAT(cpus_of(plan("explicit:5,1", {5, tree_.cpus(), 0, -1, LoadModel::fresh}).value()),
                ElementsAre(5, 1, 5, 1, 5));
}

TEST_F(PlanOnTwoNodes, RefusesWhatCannotBePlanned) {
    const PlacementRequest good{4, tree_.cpus(), 0, -1, LoadModel::fresh};
    const auto message = [](const Result<Plan>& result) { return result ? "no error" : result.error().message; };
    EXPECT_THAT(message(plan("os", good)), HasSubstr("idlest@"));
    PlacementRequest request = good;
    request.threads = 0;
    EXPECT_THAT(message(plan("idlest", request)), HasSubstr("0 threads"));
    request.threads = 1000000000;
    EXPECT_THAT(message(plan("idlest", request)), HasSubstr("1000000000 threads"));
    request = good;
    request.allowed = {};
    EXPECT_THAT(message(plan("idlest", request)), HasSubstr("no CPU"));
    request = good;
    request.waker = 8;
    EXPECT_THAT(message(plan("idlest", request)), HasSubstr("waker CPU 8"));
    request.allowed = CpuSet{0, 8, 70};
    EXPECT_THAT(message(plan("idlest", request)), HasSubstr("CPUs 8,70 are not online"));
    request = good;
    request.waker = -1;
    EXPECT_THAT(message(plan("idlest", request)), HasSubstr("waker CPU -1"));
    EXPECT_THAT(message(plan("explicit:9", good)), HasSubstr("CPU 9"));
}

TEST_F(PlanOnTwoNodes, SummarizesWhereThreadsAre) {
    const PlacementSummary summary = summarize(tree_, std::vector<int>{0, 0, 1, 7, 999, -1});
    EXPECT_THAT(summary.threads_per_node, ElementsAre(3, 1));
    EXPECT_EQ(summary.cpus_used, 3);
    EXPECT_EQ(summary.llcs_used, 2);
    EXPECT_EQ(summary.most_on_one_cpu, 2);
    EXPECT_EQ(format_node_counts(summary.threads_per_node), "{3}{1}");
}

TEST(PlanSummary, CpusInNoNodeAreCountedLast) {
    Machine machine = test::load(test::two_small_nodes);
    machine.pus[0].node.reset();
    const DomainTree tree = DomainTree::build(machine);
    EXPECT_THAT(summarize(tree, std::vector<int>{0, 1, 4, 5}).threads_per_node, ElementsAre(1, 2, 1));
}

}  // namespace
}  // namespace pinwise
