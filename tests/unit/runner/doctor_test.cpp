#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "runner/doctor/findings.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

/// A machine on which nothing is lacking.
DoctorFacts everything() {
    DoctorFacts facts;
    facts.machine_kind = "physical";
    facts.cpus_online = facts.cpus_allowed = 8;
    facts.cpu_nodes = 2;
    facts.caches_known = true;
    facts.llc_bytes = 64 << 20;
    facts.governor = "performance";
    facts.boost = "0";
    facts.smt = "off";
    facts.thp = "madvise";
    facts.numa_balancing = "0";
    facts.cpu_max = "max 100000";
    facts.memory_max = "max";
    facts.load_1_min = 0.1;
    facts.cpu_pressure_percent = 0;
    facts.memory_available_bytes = std::uint64_t{64} << 30;
    return facts;
}

Finding finding(const DoctorFacts& facts, std::string_view name) {
    for (const Finding& each : examine(facts))
        if (each.name == name) return each;
    ADD_FAILURE() << "nothing is said of " << name;
    return {};
}

/// The one thing that differs from everything() is named, with what it costs and what to do.
void expect_lacking(const DoctorFacts& facts, std::string_view name, std::string_view permit) {
    for (const Finding& each : examine(facts))
        EXPECT_EQ(each.state, each.name == name ? FindingState::lacking : FindingState::fine) << each.name;
    EXPECT_FALSE(finding(facts, name).lacks.empty());
    EXPECT_THAT(finding(facts, name).permit, HasSubstr(std::string(permit)));
}

TEST(Doctor, NothingIsLackingOnAMachineThatPermitsEverything) {
    std::set<std::string_view> names;
    for (const Finding& each : examine(everything())) {
        EXPECT_EQ(each.state, FindingState::fine) << each.name << ": " << each.found;
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_FALSE(each.found.empty()) << each.name;
    }
    EXPECT_THAT(format_findings(examine(everything())), HasSubstr("Nothing is lacking"));
}

TEST(Doctor, ARefusalIsRepeatedInTheWordsOfWhoeverRefused) {
    const std::vector<std::pair<Result<void> Permissions::*, std::string_view>> all{
        {&Permissions::agent, "agent"},
        {&Permissions::ptrace, "ptrace"},
        {&Permissions::affinity, "affinity"},
        {&Permissions::memory_policy, "memory-policy"},
        {&Permissions::move_pages, "move-pages"},
        {&Permissions::tracefs, "tracefs"},
        {&Permissions::perf, "perf"},
        {&Permissions::numa_balancing_writable, "numa-balancing"}};
    for (const auto& [member, name] : all) {
        DoctorFacts facts = everything();
        facts.may.*member = failure("no such luck");
        expect_lacking(facts, name, "");
        EXPECT_THAT(finding(facts, name).found, HasSubstr("no such luck"));
        EXPECT_FALSE(finding(facts, name).permit.empty()) << name;
    }
}

TEST(Doctor, NamesWhatTheMachineLacksAndTheCommandThatHelps) {
    const auto with = [](auto change) {
        DoctorFacts facts = everything();
        change(facts);
        return facts;
    };
    expect_lacking(with([](DoctorFacts& f) { f.cpus_allowed = 2; }), "cpus", "taskset");
    expect_lacking(with([](DoctorFacts& f) { f.cpu_nodes = 1; }), "nodes", "demo.sh");
    expect_lacking(with([](DoctorFacts& f) { f.caches_known = false; }), "caches", "llc_bytes");
    expect_lacking(with([](DoctorFacts& f) { f.machine_kind = "virtual"; }), "machine", "vcpupin");
    expect_lacking(with([](DoctorFacts& f) { f.machine_kind = "emulated"; }), "machine", "kvm");
    expect_lacking(with([](DoctorFacts& f) { f.cpu_max = "150000 100000"; }), "cpu-quota", "CPUQuota");
    expect_lacking(with([](DoctorFacts& f) { f.memory_max = "1073741824"; }), "memory-limit", "MemoryMax");
    expect_lacking(with([](DoctorFacts& f) { f.memory_available_bytes = 700 << 20; }), "memory", "ps ");
    expect_lacking(with([](DoctorFacts& f) { f.load_1_min = 3; }), "load", "ps ");
    expect_lacking(with([](DoctorFacts& f) { f.cpu_pressure_percent.reset(); }), "pressure", "psi=1");
    expect_lacking(with([](DoctorFacts& f) { f.governor = "powersave"; }), "governor", "cpupower");
    expect_lacking(with([](DoctorFacts& f) { f.boost = "1"; }), "boost", "cpufreq/boost");
    expect_lacking(with([](DoctorFacts& f) { f.turbo_off = "0"; }), "boost", "no_turbo");
    expect_lacking(with([](DoctorFacts& f) { f.thp = "never"; }), "huge-pages", "transparent_hugepage");
}

TEST(Doctor, WhatIsNotToldIsUnknownAndNotLacking) {
    DoctorFacts facts = everything();
    facts.governor.reset();
    facts.boost.reset();
    facts.machine_kind = "";
    facts.container = "docker";
    facts.cpu_max.reset();
    for (const std::string_view name : {"governor", "boost", "machine", "container", "cpu-quota"})
        EXPECT_EQ(finding(facts, name).state, FindingState::unknown) << name;
    const auto document = nlohmann::json::parse(findings_json(examine(facts)));
    EXPECT_EQ(document["schema"], 1);
    EXPECT_EQ(document["lacking"], 0);
    EXPECT_EQ(document["findings"].size(), examine(facts).size());
    EXPECT_EQ(document["findings"][0]["state"], "fine");
}

TEST(Doctor, ReadsTheMachineAndLosesNothingWhereItSaysNothing) {
    const std::filesystem::path root =
        std::filesystem::path(testing::TempDir()) / ("pinwise-doctor-" + std::to_string(getpid()));
    const auto put = [&](const std::string& file, const std::string& text) {
        std::filesystem::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text;
    };
    put("proc/cpuinfo", "flags : fpu hypervisor sse\n");
    put("proc/meminfo", "MemAvailable:    2048 kB\n");
    put("proc/loadavg", "0.50 0.40 0.30 1/100 77\n");
    put("proc/pressure/cpu", "some avg10=12.50 avg60=0.00 avg300=0.00 total=0\n");
    put("proc/self/cgroup", "0::/me\n");
    put("sys/fs/cgroup/me/cpu.max", "150000 100000\n");
    put("run/systemd/container", "lxc\n");
    const DoctorFacts facts = doctor_facts(test::load(test::zen3_nps1), {}, root);
    EXPECT_EQ(facts.machine_kind, "virtual");
    EXPECT_EQ(facts.memory_available_bytes, 2U << 20);
    EXPECT_EQ(facts.load_1_min, 0.5);
    EXPECT_EQ(facts.cpu_pressure_percent, 12.5);
    EXPECT_EQ(facts.cpu_max, "150000 100000");
    EXPECT_EQ(facts.container, "lxc");
    EXPECT_EQ(facts.cpu_nodes, 2);
    EXPECT_FALSE(facts.governor || facts.thp || facts.memory_max);
    const DoctorFacts nothing = doctor_facts(Machine{}, {}, root / "nothing");
    EXPECT_FALSE(examine(nothing).empty());
    std::filesystem::remove_all(root);
}

TEST(Doctor, TriesEverythingOnThisMachineWithoutHarm) {
    const Permissions may = try_permissions();
    EXPECT_FALSE(examine(doctor_facts(test::load("live"), may)).empty());
}

}  // namespace
}  // namespace pinwise
