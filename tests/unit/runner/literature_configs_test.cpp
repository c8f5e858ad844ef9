// The experiments of the literature: on the published machines they are what was published, on others of their kind the
// same in other numbers, elsewhere they refuse.

#include <gmock/gmock.h>

#include "placer/domain/domain_tree.hpp"
#include "placer/policy/plan.hpp"
#include "placer/topology/cpu_list.hpp"
#include "tests/unit/runner/experiments.hpp"

namespace pinwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<TrialSpec> trials(const std::string& file, std::string_view machine) {
    auto all = test::trials(test::shipped_config(file), test::load(machine));
    std::erase_if(all, [](const TrialSpec& spec) { return spec.repetition > 1; });
    return all;
}

std::string refusal(const std::string& file, const Machine& machine) {
    const auto met = check_requirements(test::experiment(test::shipped_config(file)), machine);
    EXPECT_FALSE(met);
    return met ? "" : met.error().message;
}

void expect_the_five_arms(const std::vector<TrialSpec>& arms, const std::string& mask, int threads) {
    ASSERT_EQ(arms.size(), 6U) << "idlest with both bindings";
    EXPECT_EQ(arms[0].strategy.policy, "os");
    EXPECT_EQ(arms[0].strategy.cpus, "all");
    EXPECT_EQ(arms[1].strategy.policy, "os");
    EXPECT_EQ(arms[2].strategy.policy, "idlest");
    EXPECT_EQ(arms[2].strategy.bind, "initial");
    EXPECT_EQ(arms[3].strategy.bind, "cpu");
    EXPECT_EQ(arms[4].strategy.policy, "idlest@5.11");
    EXPECT_EQ(arms[4].strategy.bind, "cpu");
    for (const TrialSpec& arm : arms)
        EXPECT_EQ(arm.threads, threads);
    for (std::size_t arm = 1; arm < arms.size(); ++arm)
        EXPECT_EQ(format_cpu_list(arms[arm].strategy.mask), mask) << arm;
}

std::string planned_counts(std::string_view machine_source, const TrialSpec& spec, int waker) {
    const DomainTree tree = DomainTree::build(test::load(machine_source));
    PlacementRequest request;
    request.threads = spec.threads;
    request.allowed = spec.strategy.mask;
    request.waker = waker;
    const Plan plan = make_plan(tree, *make_policy(spec.strategy.policy).value(), request, Reasons::drop).value();
    std::vector<int> cpus;
    for (const Placement& placement : plan.threads)
        cpus.push_back(placement.cpu);
    return format_node_counts(summarize(tree, cpus).threads_per_node);
}

TEST(LiteratureConfigs, Zen3Stream8HasThePublishedMaskOnThePublishedMachine) {
    const auto arms = trials("zen3-stream8.toml", test::zen3_nps1);
    expect_the_five_arms(arms, "0,16,32,48,64,80,96,112", 8);
    EXPECT_EQ(planned_counts(test::zen3_nps1, arms[2], 32), "{4}{4}");
    EXPECT_EQ(planned_counts(test::zen3_nps1, arms[4], 32), "{8}{0}") << "the pile-up replayed";
}

TEST(LiteratureConfigs, Skylake16HasThePublishedMaskOnThePublishedMachine) {
    const auto arms = trials("skylake-stream16.toml", test::skylake_evenodd);
    expect_the_five_arms(arms, "0-15", 16);
    EXPECT_EQ(planned_counts(test::skylake_evenodd, arms[2], 0), "{8}{8}");
    EXPECT_EQ(planned_counts(test::skylake_evenodd, arms[4], 0), "{16}{0}");
}

TEST(LiteratureConfigs, FitOtherMachinesOfTheSameKind) {
    const auto nps4 = trials("zen3-stream8.toml", "synthetic:Package:2 [NUMANode] L3Cache:6 Core:4 PU:2");
    EXPECT_EQ(nps4[0].threads, 6);
    EXPECT_EQ(format_cpu_list(nps4[1].strategy.mask), "0,16,32,48,64,80");
    const auto block = trials("skylake-stream16.toml", test::skylake_block);
    EXPECT_EQ(format_cpu_list(block[1].strategy.mask), "0-7,24-31");
    const auto four_sockets = trials("skylake-stream16.toml", "synthetic:Package:4 [NUMANode] L3Cache:1 Core:10 PU:1");
    EXPECT_EQ(four_sockets[0].threads, 32);
    EXPECT_EQ(format_cpu_list(four_sockets[1].strategy.mask), "0-7,10-17,20-27,30-37");
}

TEST(LiteratureConfigs, RefuseMachinesWhereTheyCannotSayWhy) {
    const Machine one_node = test::load("synthetic:Package:1 [NUMANode] L3Cache:8 Core:8 PU:2");
    for (const std::string file : {"zen3-stream8.toml", "skylake-stream16.toml"})
        EXPECT_THAT(refusal(file, one_node),
                    AllOf(HasSubstr("this experiment needs nodes >= 2: the question is on which node threads start"),
                          HasSubstr("128 cpus, 64 cores, 8 llcs, 1 nodes")))
            << file;
    EXPECT_THAT(refusal("zen3-stream8.toml", test::load(test::skylake_block)),
                AllOf(HasSubstr("needs llcs >= 4*nodes"), HasSubstr("2 llcs")));
    EXPECT_THAT(refusal("skylake-stream16.toml", test::load(test::two_small_nodes)),
                AllOf(HasSubstr("needs cores >= 8*nodes"), HasSubstr("8 cores")));
    Machine container = test::load(test::zen3_nps1);
    container.allowed = CpuSet::range(0, 63);
    EXPECT_THAT(refusal("zen3-stream8.toml", container), HasSubstr("nodes >= 2")) << "only what is allowed counts";
}

}  // namespace
}  // namespace pinwise
