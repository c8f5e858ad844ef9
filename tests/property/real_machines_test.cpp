/// Every machine of the corpus of real topologies, read in place; skipped where the corpus is not there.

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>

#include "placer/policy/kernel_rule.hpp"
#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/cpu_list.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

fs::path corpus() {
    return fs::path(PINWISE_SOURCE_DIR) / ".." / "shared" / "topologies";
}

std::vector<fs::path> all_machines() {
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(corpus(), none)) {
        if (entry.path().extension() == ".xml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

class RealMachines : public testing::Test {
protected:
    void SetUp() override {
        if (all_machines().empty()) GTEST_SKIP() << "no corpus at " << corpus();
    }

    static Machine machine(const std::string& name) { return test::load((corpus() / (name + ".xml")).string()); }

    static std::vector<int> node_numbers(const Machine& machine, bool with_cpus) {
        std::vector<int> numbers;
        for (const Node& node : machine.nodes) {
            if (node.cpus.empty() != with_cpus) numbers.push_back(node.os_index);
        }
        return numbers;
    }
};

TEST_F(RealMachines, AreReadConsistently) {
    for (const fs::path& file : all_machines()) {
        const Machine machine = test::load(file.string());
        CpuSet of_nodes;
        for (const Node& node : machine.nodes) {
            EXPECT_FALSE(of_nodes.intersects(node.cpus)) << file;
            of_nodes |= node.cpus;
        }
        EXPECT_TRUE(of_nodes.is_subset_of(machine.online)) << file;
        EXPECT_TRUE(machine.allowed.is_subset_of(machine.online)) << file;
        EXPECT_FALSE(machine.online.intersects(machine.offline)) << file;
        for (const Pu& pu : machine.pus) {
            EXPECT_TRUE(machine.online.test(pu.os_index)) << file;
            EXPECT_TRUE(machine.cores[static_cast<std::size_t>(pu.core)].cpus.test(pu.os_index)) << file;
            EXPECT_TRUE(machine.llcs[static_cast<std::size_t>(pu.llc)].cpus.test(pu.os_index)) << file;
        }
    }
}

TEST_F(RealMachines, EveryRuleFillsTheWholeMachineWithAllowedCpus) {
    for (const fs::path& file : all_machines()) {
        const Machine machine = test::load(file.string());
        const DomainTree tree = DomainTree::build(machine);
        const CpuSet& allowed = machine.allowed;
        ASSERT_FALSE(allowed.empty()) << file;
        for (const KernelRule& rule : kernel_rules()) {
            const auto policy = make_policy("idlest@" + std::string(rule.name)).value();
            const Plan plan =
                make_plan(tree, *policy, {allowed.count(), allowed, allowed.first(), -1, LoadModel::fresh},
                          Reasons::drop)
                    .value();
            for (const Placement& placement : plan.threads)
                EXPECT_TRUE(allowed.test(placement.cpu)) << file << " " << rule.name;
        }
    }
}

TEST_F(RealMachines, OfflineCpu0AndNode0LeaveSeventeenUsableCpus) {
    const Machine machine = this->machine("intel-offline-cpu0-node0");
    EXPECT_EQ(machine.allowed, CpuSet::range(4, 20));
    ASSERT_EQ(machine.llcs.size(), 2U);
    EXPECT_EQ(std::max(machine.llcs[0].cpus.count(), machine.llcs[1].cpus.count()), 9);
    EXPECT_EQ(std::min(machine.llcs[0].cpus.count(), machine.llcs[1].cpus.count()), 8);
    EXPECT_THAT(node_numbers(machine, true), ElementsAre(1));
    for (const Pu& pu : machine.pus)
        EXPECT_EQ(pu.node.has_value(), pu.os_index % 2 == 1) << pu.os_index;
    const DomainTree tree = DomainTree::build(machine);
    const Plan plan =
        make_plan(tree, *make_policy("idlest").value(), {17, machine.allowed, 4, -1, LoadModel::fresh}, Reasons::drop)
            .value();
    std::vector<int> cpus;
    for (const Placement& placement : plan.threads)
        cpus.push_back(placement.cpu);
    EXPECT_EQ(summarize(tree, cpus).cpus_used, 17);
}

TEST_F(RealMachines, AnLlcThatSpansTwoNodesKeepsBothFacts) {
    const Machine machine = this->machine("intel-cascadelake-2lm-memcache");
    ASSERT_EQ(machine.nodes.size(), 4U);
    for (const Node& node : machine.nodes)
        EXPECT_EQ(node.cpus.count(), 20);
    EXPECT_EQ(machine.llcs.size(), 2U);
}

TEST_F(RealMachines, CpulessNodesAreMemoryTargetsOnly) {
    const Machine machine = this->machine("ibm-power9-2s-gpu-nodes-core-isolated");
    EXPECT_THAT(node_numbers(machine, true), ElementsAre(0, 8));
    EXPECT_THAT(node_numbers(machine, false), ElementsAre(252, 253, 254, 255));
}

TEST_F(RealMachines, SparseNodeNumbersAreKept) {
    const Machine machine = this->machine("amd-magnycours-4s-8n-sparse-nodeids");
    EXPECT_THAT(node_numbers(machine, true), ElementsAre(0, 1, 2, 33, 34, 45, 72, 73));
}

TEST_F(RealMachines, ACpusetLeavesTenUsableCpus) {
    EXPECT_EQ(machine("amd-k8-opteron-8s-cgroup-cpuset").allowed.count(), 10);
}

TEST_F(RealMachines, NodesWithCpusAndNoMemoryKeepTheirCpus) {
    const Machine machine = this->machine("amd-threadripper-3960x-nps4-2memless");
    ASSERT_NE(machine.node(0), nullptr);
    EXPECT_EQ(machine.node(0)->memory_bytes, 0U);
    EXPECT_FALSE(machine.node(0)->cpus.empty());
    EXPECT_EQ(machine.llcs.size(), 8U);
}

TEST_F(RealMachines, HybridCoresDifferInEfficiency) {
    const Machine machine = this->machine("intel-alderlake-hybrid");
    EXPECT_GT(machine.pu(0)->efficiency, machine.pu(19)->efficiency);
}

}  // namespace
}  // namespace pinwise
