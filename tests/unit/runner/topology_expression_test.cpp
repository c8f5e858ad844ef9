#include "runner/config/topology_expression.hpp"

#include <gmock/gmock.h>

#include "placer/topology/cpu_list.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

Machine zen3() {
    return test::load(test::zen3_nps1);
}

Machine restricted(Machine machine, const CpuSet& allowed) {
    machine.allowed = allowed;
    return machine;
}

int count(std::string_view text, const Machine& machine) {
    const auto value = evaluate_thread_count(text, machine);
    EXPECT_TRUE(value) << value.error().message;
    return value.value_or(-1);
}

std::string count_error(std::string_view text, const Machine& machine) {
    const auto value = evaluate_thread_count(text, machine);
    EXPECT_FALSE(value) << text << " gave " << value.value_or(-1);
    return value ? "" : value.error().message;
}

std::string cpus(std::string_view text, const Machine& machine, int threads = 1) {
    const auto value = evaluate_cpus(text, machine, threads);
    EXPECT_TRUE(value) << value.error().message;
    return value ? format_cpu_list(*value) : "";
}

std::string cpus_error(std::string_view text, const Machine& machine) {
    const auto value = evaluate_cpus(text, machine, 1);
    EXPECT_FALSE(value) << text;
    return value ? "" : value.error().message;
}

TEST(ThreadCount, WordsCountWhatTheMachineHas) {
    const Machine machine = zen3();
    EXPECT_EQ(count("12", machine), 12);
    EXPECT_EQ(count("cpus", machine), 256);
    EXPECT_EQ(count("cores", machine), 128);
    EXPECT_EQ(count("llcs", machine), 16);
    EXPECT_EQ(count("nodes", machine), 2);
}

TEST(ThreadCount, ArithmeticGoesFromLeftToRightAndRoundsDown) {
    const Machine machine = zen3();
    EXPECT_EQ(count("2*llcs", machine), 32);
    EXPECT_EQ(count("cores / 2", machine), 64);
    EXPECT_EQ(count("llcs*3/5", machine), 9);
    EXPECT_EQ(count("max(llcs, 2)", machine), 16);
    EXPECT_EQ(count("min( cpus , max(2*llcs,nodes) )/2", machine), 16);
}

TEST(ThreadCount, OnlyAllowedCpusCount) {
    const Machine machine = restricted(zen3(), {0, 1, 128, 8});
    EXPECT_EQ(count("cpus", machine), 4);
    EXPECT_EQ(count("cores", machine), 3);
    EXPECT_EQ(count("llcs", machine), 2);
    EXPECT_EQ(count("nodes", machine), 1);
}

TEST(ThreadCount, CoresPerNodeAreThoseOfTheSmallestNode) {
    EXPECT_EQ(count("cores-per-node", zen3()), 64);
    EXPECT_EQ(count("cores-per-node/2", zen3()), 32);
    EXPECT_EQ(count("cores-per-node", restricted(zen3(), {0, 1, 128, 8, 64, 65})), 2);
    EXPECT_EQ(count("cores-per-node", restricted(zen3(), {0, 1, 128, 8})), 3) << "a node without allowed CPUs is none";
}

TEST(ThreadCount, ZeroIsAnErrorThatShowsWhatIsHere) {
    EXPECT_THAT(count_error("nodes/4", zen3()),
                HasSubstr("is 0 here (allowed: 256 cpus, 128 cores, 16 llcs, 2 nodes)"));
    EXPECT_THAT(count_error("0", zen3()), HasSubstr("at least 1"));
}

TEST(ThreadCount, MistakesNameThePositionAndTheWords) {
    const Machine machine = zen3();
    EXPECT_THAT(count_error("2*lcs", machine), HasSubstr("position 3: unknown word \"lcs\"; did you mean \"llcs\"?"));
    EXPECT_THAT(count_error("threads", machine),
                HasSubstr("known: cpus, cores, llcs, nodes, cores-per-node, min, max"));
    EXPECT_THAT(count_error("", machine), HasSubstr("position 1"));
    EXPECT_THAT(count_error("2*", machine), HasSubstr("position 3"));
    EXPECT_THAT(count_error("-4", machine), HasSubstr("position 1: unexpected \"-4\""));
    EXPECT_THAT(count_error("4 4", machine), HasSubstr("position 3: unexpected \"4\""));
    EXPECT_THAT(count_error("cpus/0", machine), HasSubstr("division by zero"));
    EXPECT_THAT(count_error("max(2", machine), HasSubstr("\",\" is missing"));
    EXPECT_THAT(count_error("max 2", machine), HasSubstr("\"(\" is missing"));
    EXPECT_THAT(count_error("99999999999999999999", machine), HasSubstr("more than 65536"));
    EXPECT_THAT(count_error("65536*65536*65536", machine), HasSubstr("more than 65536"));
}

TEST(ThreadCount, DeepNestingIsAnErrorAndNoCrash) {
    std::string text;
    for (int i = 0; i < 100000; ++i)
        text += "max(";
    EXPECT_THAT(count_error(text, zen3()), HasSubstr("nested too deeply"));
}

TEST(Cpus, MasksFollowTheTopology) {
    const Machine machine = zen3();
    EXPECT_EQ(cpus("all", machine), "0-255");
    EXPECT_EQ(cpus("one-per-llc", machine), "0,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120");
    EXPECT_EQ(cpus("one-per-core", machine), "0-127");
    EXPECT_EQ(cpus("one-per-node", machine), "0,64");
    EXPECT_EQ(cpus("node:1", machine), "64-127,192-255");
    EXPECT_EQ(cpus("3,5-6", machine), "3,5-6");
}

TEST(Cpus, OnePerThreadOfEightIsTheMaskOf2022) {
    EXPECT_EQ(cpus("one-per-thread", zen3(), 8), "0,16,32,48,64,80,96,112");
}

TEST(Cpus, OnePerThreadUsesSiblingsOnlyAfterEveryCore) {
    EXPECT_EQ(cpus("one-per-thread", zen3(), 128), "0-127");
    EXPECT_EQ(cpus("one-per-thread", zen3(), 130), "0-128,192");
    EXPECT_EQ(cpus("one-per-thread", zen3(), 1000), "0-255");
}

TEST(Cpus, OnePerThreadGivesAsManyCpusAsThreadsWhateverIsAllowed) {
    const Machine machine = restricted(zen3(), CpuSet::range(5, 17) | CpuSet::range(133, 140));
    for (int threads = 1; threads <= machine.allowed.count(); ++threads) {
        const auto mask = evaluate_cpus("one-per-thread", machine, threads);
        ASSERT_TRUE(mask);
        EXPECT_EQ(mask->count(), threads);
        EXPECT_TRUE(mask->is_subset_of(machine.allowed));
    }
}

TEST(Cpus, CoresPerNodeIsTheFirstCoresOfEachNodeHoweverTheyAreNumbered) {
    EXPECT_EQ(cpus("cores-per-node:8", test::load(test::skylake_evenodd)), "0-15");
    EXPECT_EQ(cpus("cores-per-node:8", test::load(test::skylake_block)), "0-7,24-31");
    EXPECT_EQ(cpus("cores-per-node:1", zen3()), "0,64");
    EXPECT_EQ(cpus("cores-per-node:64", zen3()), "0-127");
    EXPECT_EQ(cpus("cores-per-node:2", restricted(zen3(), {128, 5, 133, 70, 71, 72})), "5,70-71,128");
    EXPECT_THAT(cpus_error("cores-per-node:65", zen3()), HasSubstr("node 0 has only 64 cores that are allowed here"));
    EXPECT_THAT(cpus_error("cores-per-node:2", restricted(zen3(), {0, 1, 64})), HasSubstr("node 1 has only 1 cores"));
    for (const std::string number : {"", "0", "-1", "8x", "99999999999"})
        EXPECT_THAT(cpus_error("cores-per-node:" + number, zen3()), HasSubstr("a number of cores is needed")) << number;
}

TEST(Condition, ComparesTwoCounts) {
    const auto holds = [](const std::string& text) {
        const auto met = evaluate_condition(text, zen3());
        EXPECT_TRUE(met) << met.error().message;
        return met.value_or(false);
    };
    EXPECT_TRUE(holds("nodes >= 2"));
    EXPECT_TRUE(holds("llcs>=8*nodes"));
    EXPECT_FALSE(holds("llcs >= 9*nodes"));
    EXPECT_FALSE(holds("nodes/4 >= 1"));
    EXPECT_TRUE(holds("nodes >= 0"));
    for (const std::string text : {"nodes", "nodes > 2", ">= 2", "nodes >=", "nods >= 2", "nodes >= 2 >= 1"}) {
        const auto met = evaluate_condition(text, zen3());
        ASSERT_FALSE(met) << text;
        EXPECT_EQ(met.error().kind, ErrorKind::usage);
    }
}

TEST(Cpus, ASiblingStandsForACoreWhoseFirstCpuIsNotAllowed) {
    EXPECT_EQ(cpus("one-per-core", restricted(zen3(), {128, 1, 129})), "1,128");
    EXPECT_EQ(cpus("one-per-llc", restricted(zen3(), {130, 9, 137})), "9,130");
}

TEST(Cpus, MistakesSayWhatIsWrong) {
    const Machine machine = restricted(zen3(), CpuSet::range(0, 63));
    EXPECT_THAT(cpus_error("one-per-lcc", machine), HasSubstr("did you mean \"one-per-llc\"?"));
    EXPECT_THAT(cpus_error("node:7", machine), HasSubstr("there is no node 7 here; nodes are 0-1"));
    EXPECT_THAT(cpus_error("node:1", machine), HasSubstr("no CPU that is allowed"));
    EXPECT_THAT(cpus_error("3-1", machine), HasSubstr("position 1"));
    EXPECT_THAT(cpus_error("64", machine), HasSubstr("64"));
    EXPECT_THAT(cpus_error("9999", machine), HasSubstr("9999"));
    EXPECT_THAT(cpus_error("", machine), HasSubstr("one-per-llc"));
}

}  // namespace
}  // namespace pinwise
