#include "placer/topology/load_machine.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "placer/topology/cpu_list.hpp"
#include "tests/machines.hpp"
#include "tests/unit/placer/excuse_leaks.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(LoadMachine, ReadsTheZen3MachineOf2022) {
    const Machine machine = test::load(test::zen3_nps1);
    EXPECT_EQ(machine.pus.size(), 256U);
    EXPECT_EQ(machine.cores.size(), 128U);
    EXPECT_EQ(machine.llcs.size(), 16U);
    EXPECT_EQ(machine.packages.size(), 2U);
    ASSERT_EQ(machine.nodes.size(), 2U);
    EXPECT_EQ(machine.node(0)->cpus, CpuSet::range(0, 63) | CpuSet::range(128, 191));
    for (const Pu& pu : machine.pus) {
        EXPECT_EQ(pu.llc, pu.os_index % 128 / 8);
        EXPECT_EQ(pu.smt_rank, pu.os_index / 128);
        EXPECT_EQ(pu.node, pu.os_index % 128 / 64);
    }
    EXPECT_EQ(machine.llcs[0].level, 3);
    EXPECT_EQ(machine.llcs[0].size_bytes, 32'000'000U);  // hwloc's MB is decimal
}

TEST(LoadMachine, MemoryOnlyNodesBesideACpuNodeOwnNoCpus) {
    const Machine machine = test::load(test::xeon_max_flat);
    ASSERT_EQ(machine.nodes.size(), 4U);
    int with_cpus = 0;
    CpuSet covered;
    for (const Node& node : machine.nodes) {
        if (node.cpus.empty()) {
            EXPECT_FALSE(node.local_cpus.empty());
            continue;
        }
        ++with_cpus;
        EXPECT_FALSE(covered.intersects(node.cpus));
        covered |= node.cpus;
    }
    EXPECT_EQ(with_cpus, 2);
    EXPECT_EQ(covered, machine.online);
}

TEST(LoadMachine, AMemoryOnlyNodeAboveTheCpuNodesOwnsNoCpusWhateverItsNumber) {
    const Machine machine = test::load(
        "synthetic:[NUMANode(memory=8GB indexes=0)] Package:2 [NUMANode(memory=1GB indexes=1,2)] L3Cache:1 Core:2 "
        "PU:1");
    ASSERT_EQ(machine.nodes.size(), 3U);
    int memory_only = 0;
    for (const Node& node : machine.nodes) {
        EXPECT_THAT(node.cpus.count(), testing::AnyOf(0, 2)) << node.os_index;
        memory_only += node.cpus.empty() ? 1 : 0;
    }
    EXPECT_EQ(memory_only, 1);
    EXPECT_EQ(machine.memory_nodes().count(), 3);
}

TEST(LoadMachine, NodesWithoutMemoryAreNoMemoryTargetsUnlessNoSizeIsRecorded) {
    Machine machine = test::load(test::two_small_nodes);
    EXPECT_EQ(machine.memory_nodes(), (CpuSet{0, 1}));
    machine.nodes[0].memory_bytes = 0;
    EXPECT_EQ(machine.memory_nodes(), CpuSet{1});
    machine.nodes[1].memory_bytes = 0;
    EXPECT_EQ(machine.memory_nodes(), (CpuSet{0, 1}));
}

TEST(LoadMachine, WithoutAnL3TheL2IsTheLlc) {
    const Machine machine = test::load(test::altra_no_l3);
    EXPECT_EQ(machine.llcs.size(), 80U);
    EXPECT_EQ(machine.llcs[0].level, 2);
}

TEST(LoadMachine, WithoutCachesEachCoreIsItsOwnLlcOfLevel0) {
    const Machine machine = test::load("synthetic:Package:2 Core:2 PU:2");
    ASSERT_EQ(machine.llcs.size(), 4U);
    EXPECT_EQ(machine.llcs[0].level, 0);
    EXPECT_EQ(machine.llcs[0].cpus.count(), 2);
}

TEST(LoadMachine, TheLiveMachineAllowsNoMoreThanItHasOnline) {
    const Machine machine = test::load("live");
    EXPECT_FALSE(machine.allowed.empty());
    EXPECT_TRUE(machine.allowed.is_subset_of(machine.online));
    EXPECT_EQ(test::load("").pus.size(), machine.pus.size());
}

class BadTopology : public testing::TestWithParam<const char*> {};

TEST_P(BadTopology, IsOneClearUsageError) {
    const auto machine = load_machine(GetParam());
    ASSERT_FALSE(machine);
    EXPECT_EQ(machine.error().kind, ErrorKind::usage);
    EXPECT_THAT(machine.error().message, HasSubstr("topology \""));
    EXPECT_THAT(machine.error().message, Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(Sources, BadTopology,
                         testing::Values("/nonexistent.xml", "synthetic:", "synthetic:nonsense",
                                         "synthetic:Package:0 PU:1", "synthetic:PU:-3", "/dev/null",
                                         "synthetic:PU:2147483647", "synthetic:PU:65536",
                                         "synthetic:Package:65536 PU:65536", "synthetic:PU:99999999999999999999",
                                         "synthetic:65536 2", "/etc/passwd", "/tmp"));

TEST(LoadMachine, ATruncatedXmlIsAnErrorAtEveryLength) {
    const auto xml = topology_xml(test::two_small_nodes);
    ASSERT_TRUE(xml);
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "truncated-topology.xml";
    for (std::size_t length = 0; length + 20 < xml->size(); length += xml->size() / 23) {
        std::ofstream(file) << xml->substr(0, length);
        const ExcuseLeaks excused;
        EXPECT_FALSE(load_machine(file.string())) << length;
    }
    std::filesystem::remove(file);
}

TEST(LoadMachine, HostileNumbersInAnXmlAreAUsageError) {
    const std::string xml = topology_xml(test::two_small_nodes).value();
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "hostile-topology.xml";
    for (const auto& [from, to] :
         {std::pair{"type=\"PU\" os_index=\"1\"", "type=\"PU\" os_index=\"4000000000\""},
          {"type=\"PU\" os_index=\"1\"", "type=\"PU\" os_index=\"-1\""},
          {"cpuset=\"0x0000000f\"", "cpuset=\"0xf...f\""},
          {"cpuset=\"0x0000000f\"", "cpuset=\"0xffffffff,,,,,,,,,,,,,,,,,,,,,,,0x0000000f\""}}) {
        std::string hostile = xml;
        const std::size_t at = hostile.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        hostile.replace(at, std::string(from).size(), to);
        std::ofstream(file) << hostile;
        const auto machine = load_machine(file.string());
        if (machine) {
            EXPECT_TRUE(machine->online.is_subset_of(CpuSet::range(0, max_cpu_number))) << to;
        } else {
            EXPECT_EQ(machine.error().kind, ErrorKind::usage) << to;
        }
    }
    std::filesystem::remove(file);
}

TEST(LoadMachine, AVariableThatReplacesTheLiveMachineIsRefused) {
    setenv("HWLOC_SYNTHETIC", "NUMANode:4 PU:16", 1);
    const auto machine = load_machine("live");
    unsetenv("HWLOC_SYNTHETIC");
    ASSERT_FALSE(machine);
    EXPECT_THAT(machine.error().message, HasSubstr("HWLOC_SYNTHETIC is set"));
}

TEST(LoadMachine, WhatIsExportedLoadsAsTheSameMachineAndNamesNoHost) {
    const auto xml = topology_xml("live");
    ASSERT_TRUE(xml) << xml.error().message;
    EXPECT_THAT(*xml, Not(HasSubstr("HostName")));
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "live-topology.xml";
    std::ofstream(file) << *xml;
    const Machine again = test::load(file.string());
    const Machine live = test::load("live");
    EXPECT_EQ(again.online, live.online);
    EXPECT_EQ(again.llcs.size(), live.llcs.size());
    EXPECT_EQ(again.nodes.size(), live.nodes.size());
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace pinwise
