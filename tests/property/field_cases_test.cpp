/// The placement and topology cases of the field, F1 to F12, on the real machines where the corpus is there.

#include <array>
#include <fstream>

#include <gmock/gmock.h>
#include <sched.h>

#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/allowed_cpus.hpp"
#include "placer/topology/cpu_list.hpp"
#include "tests/property/corpus.hpp"

namespace pinwise {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

using Cpus = std::vector<int>;

constexpr std::array spreading_policies{"llc", "node", "close", "spread"};

class Field : public testing::Test {
protected:
    void use_corpus(const std::string& name) {
        const auto file = test::corpus() / (name + ".xml");
        if (!std::filesystem::exists(file)) GTEST_SKIP() << "no corpus at " << test::corpus();
        use(file.string());
    }
    void use(const std::string& source) {
        machine_ = test::load(source);
        tree_ = DomainTree::build(machine_);
    }

    [[nodiscard]] Cpus place(const std::string& policy, int threads, const CpuSet& allowed, int waker) const {
        Cpus cpus;
        const PlacementRequest request{threads, allowed, waker, -1, LoadModel::fresh};
        const Plan plan = make_plan(tree_, *make_policy(policy).value(), request, Reasons::drop).value();
        for (const Placement& placement : plan.threads)
            cpus.push_back(placement.cpu);
        return cpus;
    }
    [[nodiscard]] Cpus place(const std::string& policy, int threads) const {
        return place(policy, threads, machine_.allowed, machine_.allowed.first());
    }
    [[nodiscard]] PlacementSummary summary(const std::string& policy, int threads) const {
        return summarize(tree_, place(policy, threads));
    }

    Machine machine_;
    DomainTree tree_ = DomainTree::build(machine_);
};

TEST_F(Field, F1TheZen3MaskOf2022) {
    use(test::zen3_nps1);
    const CpuSet mask{0, 16, 32, 48, 64, 80, 96, 112};
    for (const auto* policy : {"idlest", "llc", "node", "spread", "idlest@6.19"}) {
        const PlacementSummary eight = summarize(tree_, place(policy, 8, mask, 32));
        EXPECT_THAT(eight.threads_per_node, ElementsAre(4, 4)) << policy;
        EXPECT_EQ(eight.llcs_used, 8) << policy;
        EXPECT_EQ(eight.most_on_one_cpu, 1) << policy;
    }
    const Cpus old = place("idlest@5.11", 8, mask, 32);
    EXPECT_EQ(std::count(old.begin(), old.end(), 32), 5);
    EXPECT_EQ(summarize(tree_, old).cpus_used, 4);
    EXPECT_THAT(summarize(tree_, old).threads_per_node, ElementsAre(8, 0));
    // hwloc-distrib --single 8 on the same string
    EXPECT_THAT(place("llc", 8), UnorderedElementsAre(0, 16, 32, 48, 64, 80, 96, 112));
}

TEST_F(Field, F2OfflineCpu0AndNode0) {
    use_corpus("intel-offline-cpu0-node0");
    if (IsSkipped()) return;
    EXPECT_EQ(machine_.allowed, CpuSet::range(4, 20));
    EXPECT_EQ(machine_.memory_nodes(), CpuSet{1});
    for (const auto* policy : {"llc", "node", "close", "spread", "idlest"}) {
        const Cpus cpus = place(policy, 17);
        EXPECT_EQ(CpuSet::of(cpus), CpuSet::range(4, 20)) << policy;
    }
    EXPECT_EQ(summary("llc", 2).llcs_used, 2);
    const auto refused = select_allowed(machine_, std::vector<int>{0, 1, 2, 3, 21, 22, 23}, MissingCpus::drop);
    EXPECT_FALSE(refused);
}

TEST_F(Field, F3AMaskHalfOfWhichIsOffline) {
    use((test::fixtures() / "upper-half-offline.xml").string());
    EXPECT_EQ(machine_.offline, CpuSet::range(4, 7));
    const Cpus wanted = parse_cpu_list("0,2,4,6").value();  // 0x55
    EXPECT_FALSE(select_allowed(machine_, wanted, MissingCpus::refuse));
    const auto allowed = select_allowed(machine_, wanted, MissingCpus::drop);
    ASSERT_TRUE(allowed);
    EXPECT_EQ(allowed->cpus, (CpuSet{0, 2}));
    EXPECT_EQ(allowed->notes.size(), 1U);
    for (const auto* policy : {"llc", "node", "close", "spread", "idlest", "idlest@6.19"})
        EXPECT_THAT(place(policy, 2, allowed->cpus, 0), ElementsAre(0, 2)) << policy;
    for (const auto* policy : spreading_policies)
        EXPECT_THAT(place(policy, 4, allowed->cpus, 0), UnorderedElementsAre(0, 0, 2, 2)) << policy;
}

TEST_F(Field, F4AlderLakeTakesPCoresFirst) {
    use_corpus("intel-alderlake-hybrid");
    if (IsSkipped()) return;
    EXPECT_THAT(place("llc", 4), ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(place("llc", 6), ElementsAre(0, 2, 4, 6, 8, 10));
    const Cpus all = place("llc", 20);
    EXPECT_THAT(Cpus(all.begin() + 6, all.begin() + 14), ElementsAre(12, 13, 14, 15, 16, 17, 18, 19));
    EXPECT_THAT(Cpus(all.begin() + 14, all.end()), ElementsAre(1, 3, 5, 7, 9, 11));
}

TEST_F(Field, F5AnLlcThatSpansTwoNodes) {
    use_corpus("intel-cascadelake-2lm-memcache");
    if (IsSkipped()) return;
    ASSERT_EQ(machine_.nodes.size(), 4U);
    for (const Node& node : machine_.nodes)
        EXPECT_EQ(node.cpus.count(), 20);
    EXPECT_EQ(machine_.llcs.size(), 2U);
    EXPECT_THAT(summary("llc", 4).threads_per_node, Each(1));
    EXPECT_EQ(summary("llc", 2).llcs_used, 2);
    EXPECT_THAT(summary("node", 4).threads_per_node, Each(1));
}

TEST_F(Field, F6NodesWithCpusAndNoMemory) {
    use_corpus("amd-threadripper-3960x-nps4-2memless");
    if (IsSkipped()) return;
    EXPECT_EQ(machine_.memory_nodes().count(), 2);
    EXPECT_FALSE(machine_.memory_nodes().test(0));
    EXPECT_FALSE(machine_.node(0)->cpus.empty());
    EXPECT_TRUE(select_allowed(machine_, machine_.node(0)->cpus.to_vector(), MissingCpus::refuse));
    EXPECT_EQ(summary("llc", 8).llcs_used, 8);
    EXPECT_THAT(summary("llc", 8).threads_per_node, Each(2));
}

TEST_F(Field, F7GpuMemoryNodesAreMemoryTargetsOnly) {
    use_corpus("ibm-power9-2s-gpu-nodes-core-isolated");
    if (IsSkipped()) return;
    EXPECT_EQ(machine_.memory_nodes(), (CpuSet{0, 8, 252, 253, 254, 255}));
    for (const auto* policy : {"llc", "node", "close", "spread", "idlest", "random"}) {
        for (const int cpu : place(policy, machine_.allowed.count()))
            EXPECT_THAT(tree_.node_of(cpu), testing::AnyOf(0, 8)) << policy;
    }
}

TEST_F(Field, F8SparseNodeNumbers) {
    use_corpus("amd-magnycours-4s-8n-sparse-nodeids");
    if (IsSkipped()) return;
    std::vector<int> nodes;
    for (const Node& node : machine_.nodes)
        nodes.push_back(node.os_index);
    EXPECT_THAT(nodes, ElementsAre(0, 1, 2, 33, 34, 45, 72, 73));
    for (const auto* policy : {"llc", "node", "spread"})
        EXPECT_THAT(summary(policy, 8).threads_per_node, Each(1)) << policy;
}

TEST_F(Field, F9ACpusetWithoutAnyNesting) {
    use_corpus("amd-k8-opteron-8s-cgroup-cpuset");
    if (IsSkipped()) return;
    EXPECT_EQ(machine_.allowed.count(), 10);
    for (const auto* policy : spreading_policies)
        EXPECT_EQ(CpuSet::of(place(policy, 10)), machine_.allowed) << policy;
}

/// A process narrowed by its starter (OMP_PROC_BIND, Slurm, a container).
TEST_F(Field, F10TheAllowedCpusAreThoseOfOurOwnAffinity) {
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    int last = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &before)) last = cpu;
    }
    cpu_set_t narrowed;
    CPU_ZERO(&narrowed);
    CPU_SET(last, &narrowed);
    ASSERT_EQ(sched_setaffinity(0, sizeof narrowed, &narrowed), 0);
    use("live");
    ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
    EXPECT_EQ(machine_.allowed, CpuSet{last});
    for (const auto* policy : {"llc", "node", "close", "spread", "idlest", "random"})
        EXPECT_THAT(place(policy, 4), Each(last)) << policy;
}

TEST_F(Field, F11AMaskWhoseFirstGroupIsShort) {
    // 0-62:2 as the kernel prints it on a machine of 72 CPUs: "0000,55555555,55555555"
    std::string xml = topology_xml("synthetic:Package:1 [NUMANode(memory=1GB)] L3Cache:1 Core:72 PU:1").value();
    const std::string attribute = "allowed_cpuset=\"";
    const std::size_t at = xml.find(attribute) + attribute.size();
    xml.replace(at, xml.find('"', at) - at, "0x0000,0x55555555,0x55555555");
    const auto file = std::filesystem::path(testing::TempDir()) / "short-group.xml";
    std::ofstream(file) << xml;
    use(file.string());
    std::filesystem::remove(file);
    EXPECT_EQ(format_cpu_list(machine_.allowed), format_cpu_list(CpuSet::of(parse_cpu_list("0-62:2").value())));
}

TEST_F(Field, F12MoreThan1024Cpus) {
    EXPECT_EQ(CpuSet{1279}.words().size() * 64, 1280U);
    use("synthetic:Package:8 [NUMANode(memory=1GB)] L3Cache:8 Core:10 PU:2");
    EXPECT_EQ(machine_.online, CpuSet::range(0, 1279));
    for (const auto* policy : spreading_policies)
        EXPECT_EQ(CpuSet::of(place(policy, 1280)), machine_.online) << policy;
}

TEST_F(Field, F12A4096CpuMachineIsFilledOnceByEveryPolicyAndRule) {
    use(test::big_4096);
    for (const auto* policy : {"llc", "node", "close", "spread", "idlest", "idlest@6.0", "idlest@6.19"}) {
        const Cpus cpus = place(policy, 4096);
        EXPECT_EQ(CpuSet::of(cpus), CpuSet::range(0, 4095)) << policy;
    }
}

}  // namespace
}  // namespace pinwise
