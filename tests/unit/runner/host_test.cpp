#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "runner/host/cpu_pair_latency.hpp"
#include "runner/host/host_sample.hpp"
#include "runner/host/labelling_executor.hpp"
#include "runner/trial/mock_executor.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(NeighbourPairs, AreOfOneCacheAndOfTwoCores) {
    const Machine machine = test::load("synthetic:Package:1 L3Cache:4(size=1MB) Core:2 PU:2");
    const auto pairs = neighbour_pairs(machine, machine.allowed, 100);
    ASSERT_EQ(pairs.size(), 4U);
    for (const CpuPair& pair : pairs) {
        EXPECT_EQ(machine.pu(pair.first)->llc, machine.pu(pair.second)->llc);
        EXPECT_NE(machine.pu(pair.first)->core, machine.pu(pair.second)->core);
    }
    EXPECT_EQ(neighbour_pairs(machine, machine.allowed, 2).size(), 2U);
    EXPECT_EQ(neighbour_pairs(machine, CpuSet{0}, 100).size(), 1U) << "only where the trial runs";
}

TEST(NeighbourPairs, ThereAreNoneWhereNoTwoCoresShareACache) {
    const Machine alone = test::load("synthetic:Package:2 L3Cache:1(size=1MB) Core:1 PU:2");
    EXPECT_THAT(neighbour_pairs(alone, alone.allowed, 100), IsEmpty());
    EXPECT_THAT(neighbour_pairs(Machine{}, CpuSet{0}, 100), IsEmpty());
}

TEST(ExchangeNs, IsATimeOrNothing) {
    const Machine machine = test::load("live");
    const auto pairs = neighbour_pairs(machine, machine.allowed, 1);
    if (pairs.empty()) GTEST_SKIP() << "no two neighbours here";
    const auto one_way_ns = slowest_exchange_ns(pairs);
    EXPECT_GT(one_way_ns.value_or(1), 0);
    EXPECT_FALSE(exchange_ns({0, 1 << 20})) << "a CPU that is not there";
}

class HostFolder : public testing::Test {
protected:
    HostFolder() : path_(fs::path(testing::TempDir()) / ("pinwise-host-" + std::to_string(getpid()))) {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    ~HostFolder() override { fs::remove_all(path_); }

    void put(const std::string& file, const std::string& text) const {
        fs::create_directories((path_ / file).parent_path());
        std::ofstream(path_ / file) << text;
    }

    fs::path path_;
};

TEST_F(HostFolder, CountersAreThoseOfTheCpusAskedFor) {
    put("proc/stat",
        "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 100 0 50 9 9 0 0 30 0 0\ncpu1 900 0 0 0 0 0 0 0 0 0\n"
        "cpu10 50 0 0 9 0 0 0 10 0 0\nintr 1 2 3\n");
    put("proc/self/cgroup", "0::/me\n");
    put("sys/fs/cgroup/me/cpu.stat", "usage_usec 5\nnr_periods 3\nnr_throttled 7\n");
    put("sys/devices/system/cpu/cpu10/thermal_throttle/core_throttle_count", "4\n");
    const HostSample sample = sample_host(SystemFiles(path_), CpuSet{0, 10});
    const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
    EXPECT_DOUBLE_EQ(sample.busy_s.value(), 200 / ticks_per_s);
    EXPECT_DOUBLE_EQ(sample.stolen_s.value(), 40 / ticks_per_s);
    EXPECT_EQ(sample.throttle_events, 11);
    const HostSample nothing = sample_host(SystemFiles(path_ / "nothing"), CpuSet{0});
    EXPECT_FALSE(nothing.busy_s || nothing.stolen_s || nothing.throttle_events);
}

TEST(HostUse, IsWhatOthersTookOfTheTrialsCpus) {
    HostSample before{.at_ns = 0, .busy_s = 10, .stolen_s = 1, .throttle_events = 3};
    HostSample after{.at_ns = 2'000'000'000, .busy_s = 13, .stolen_s = 1.4, .throttle_events = 5};
    const HostUse use = host_use(before, after, 2.5, 2);
    EXPECT_DOUBLE_EQ(use.others_share.value(), 0.125) << "0.5 s of 2 CPUs for 2 s";
    EXPECT_NEAR(use.stolen_share.value(), 0.1, 1e-12);
    EXPECT_EQ(use.throttle_events, 2);
    EXPECT_EQ(host_use(before, after, 2.96, 2).others_share, 0.0) << "less than the kernel's ticks can tell";
    EXPECT_EQ(host_use(before, after, 99, 2).others_share, 0.0);
    EXPECT_FALSE(host_use({}, after, 0, 2).others_share);
    EXPECT_FALSE(host_use({}, after, 0, 2).throttle_events);
}

TEST_F(HostFolder, ATrialGetsTheLabelsOfItsRunAndItsOwn) {
    const Machine machine = test::load("synthetic:Package:1 L3Cache:1(size=1MB) Core:2 PU:1");
    TrialResult answer;
    answer.llc_ratio = 1;
    MockExecutor inner([&](const TrialSpec&) { return answer; });
    LabellingExecutor executor(inner, machine, {.machine_kind = "physical", .cpu_nodes = 1}, path_);
    TrialSpec spec;
    spec.workload = "stream";
    spec.strategy.mask = machine.allowed;
    const TrialResult result = executor.run(spec);
    EXPECT_THAT(result.labels, ElementsAre(Label::one_node, Label::stream_variant, Label::small_arrays));
    EXPECT_FALSE(result.neighbour_before_ns) << "neighbours move on virtual machines only";
    answer.status = TrialStatus::interrupted;
    EXPECT_EQ(executor.run(spec).status, TrialStatus::interrupted);
}

}  // namespace
}  // namespace pinwise
