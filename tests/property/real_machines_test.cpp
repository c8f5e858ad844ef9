/// Every machine of the corpus of real topologies, read in place; skipped where the corpus is not there.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "placer/policy/kernel_rule.hpp"
#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/machine_image.hpp"
#include "tests/property/corpus.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

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

}  // namespace
}  // namespace pinwise
