/// Every machine of the corpus of real topologies, read in place; skipped where the corpus is not there.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "placer/policy/kernel_rule.hpp"
#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/machine_image.hpp"
#include "tests/property/corpus.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;

class RealMachines : public testing::Test {
protected:
    void SetUp() override {
        if (test::xml_files(test::corpus()).empty()) GTEST_SKIP() << "no corpus at " << test::corpus();
    }
};

TEST_F(RealMachines, AreReadConsistently) {
    for (const fs::path& file : test::xml_files(test::corpus())) {
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
    for (const fs::path& file : test::xml_files(test::corpus())) {
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

/// The saved XML is the same machine in every field but its name, allowed and offline CPUs included.
TEST(EveryMachine, IsTheSameAfterSavingAndLoading) {
    const fs::path file = fs::path(testing::TempDir()) / "saved-machine.xml";
    std::vector<std::string> sources{test::zen3_nps1, test::skylake_evenodd, test::xeon_max_flat, test::eight_levels};
    for (const auto& folder : {test::corpus(), test::fixtures()}) {
        for (const fs::path& machine : test::xml_files(folder))
            sources.push_back(machine.string());
    }
    for (const std::string& source : sources) {
        const auto xml = topology_xml(source);
        ASSERT_TRUE(xml) << xml.error().message;
        std::ofstream(file) << *xml;
        Machine saved = test::load(file.string());
        saved.source = source;
        EXPECT_EQ(encode_machine(saved), encode_machine(test::load(source))) << source;
    }
    fs::remove(file);
}

/// Domains of the first allowed CPU, bottom up: name, CPUs, and on NUMA levels imb_numa_nr in both forms; "!" where the
/// level does not balance at fork.
std::string chain(const Machine& machine) {
    const DomainTree tree = DomainTree::build(machine);
    std::string text;
    for (const int index : tree.domains_of(machine.allowed.first())) {
        const SchedDomain& domain = tree.domain(index);
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", domain.name(), tree.group(domain.span).weight);
        if (domain.is_numa) text += fmt::format(" imb {}/{}", domain.imb_numa_nr.quarter, domain.imb_numa_nr.eighth);
        if (!domain.balances_fork) text += " !";
    }
    return text;
}

TEST_F(RealMachines, HaveTheSchedDomainsThatTheRulesGiveThem) {
    const auto expect = [](const std::string& name, const std::string& domains) {
        EXPECT_EQ(chain(test::load((test::corpus() / (name + ".xml")).string())), domains) << name;
    };
    // Several LLCs in a node: imb_numa_nr is their number. AMD's reclaim distance is 32.
    expect("amd-rome-7402-2s-nps1", "SMT 2, MC 6, PKG 48, NUMA(32) 96 imb 8/8");
    // Nodes inside a package: no PKG; the second NUMA level scales by the spans.
    expect("amd-milan-7763-2s-nps4", "SMT 2, MC 16, NODE 32, NUMA(12) 128 imb 2/2, NUMA(20) 256 imb 4/4");
    expect("amd-genoa-9654-2s-nps4-smtoff", "MC 8, NODE 24, NUMA(12) 96 imb 3/3, NUMA(20) 192 imb 6/6");
    expect("amd-naples-7401-2s-8n", "SMT 2, MC 6, NODE 12, NUMA(16) 48 imb 2/2, NUMA(32) 96 imb 4/4");
    // One LLC a node: a quarter or an eighth of its CPUs.
    expect("amd-genoa-9554-2s-16n-l3-as-numa", "SMT 2, MC 16, NUMA(12) 128 imb 4/2, NUMA(20) 256 imb 8/4");
    expect("intel-cascadelake-8259cl-2s", "SMT 2, MC 48, NUMA(21) 96 imb 12/6");
    // An LLC that spans nodes is clipped to the node.
    expect("intel-cascadelake-2lm-memcache", "SMT 2, MC 20, NUMA(11) 40 imb 5/2, NUMA(21) 80 imb 10/4");
    expect("intel-sapphirerapids-8480-2s-snc4", "SMT 2, MC 28, NUMA(12) 112 imb 7/3, NUMA(21) 224 imb 14/6");
    // A node that spans packages; no cache above the core; levels beyond the reclaim distance.
    expect("intel-dunnington-16s-4n", "MC 6, PKG 24, NUMA(26) 96 imb 4/4");
    expect("intel-skylake-6146-2s-evenodd-numaoff", "MC 12, PKG 24");
    expect("ampere-altra-q80-1s-nol3", "PKG 80");
    expect("hisilicon-kunpeng920-2s-4n", "MC 32, NUMA(16) 64 imb 8/4, NUMA(32) 96 imb 8/4 !, NUMA(33) 128 imb 16/8 !");
    // Memory-only nodes make no level; CPUs in no node are a node of their own.
    expect("intel-xeonmax-9470c-2s-hbm-flat", "SMT 2, MC 104, NUMA(21) 208 imb 26/13");
    expect("intel-offline-cpu0-node0", "MC 9, NUMA(20) 17 imb 2/1");
}

}  // namespace
}  // namespace pinwise
