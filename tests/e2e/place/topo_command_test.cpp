/// `pinwise topo --save`: a machine that every --topology accepts.

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/e2e/exec/run_pinwise.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class TopoSave : public testing::Test {
protected:
    void SetUp() override {
        std::array<char, 64> name{"/tmp/pinwise-topo-test-XXXXXX"};
        folder_ = mkdtemp(name.data());
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string file(const std::string& name = "machine.xml") const { return (folder_ / name).string(); }

    static std::string content(const std::string& path) {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    fs::path folder_;
};

TEST_F(TopoSave, TheSavedLiveMachineIsTheSameMachine) {
    ASSERT_EQ(run_shell("exec @/pinwise topo --save " + file()).out, "");
    const auto lines_after_the_name = [](std::string text) { return text.substr(text.find('\n')); };
    EXPECT_EQ(lines_after_the_name(run_shell("exec @/pinwise topo --topology " + file()).out),
              lines_after_the_name(run_shell("exec @/pinwise topo").out));
    EXPECT_THAT(content(file()), Not(HasSubstr("HostName")));
    EXPECT_THAT(content(file()), Not(HasSubstr("LinuxCgroup")));
}

TEST_F(TopoSave, KeepsTheMaskOfTheProcessThatSaved) {
    ASSERT_EQ(run_shell("exec taskset -c 0 @/pinwise topo --save " + file()).exit_code(), 0);
    EXPECT_THAT(run_shell("exec @/pinwise place -n 3 --policy llc --topology " + file()).out, HasSubstr("1 CPU used"));
}

TEST_F(TopoSave, PlansOnTheSavedMachineAreThoseOnTheSource) {
    const std::string source = std::string(PINWISE_SOURCE_DIR) + "/tests/data/gaps-and-orphans.xml";
    ASSERT_EQ(run_shell("exec @/pinwise topo --topology " + source + " --save " + file()).out, "");
    for (const auto* second : {"spread", "idlest@6.0", "node"}) {
        const std::string place =
            std::string("exec @/pinwise place -n 12 --policy llc --policy ") + second + " --topology ";
        EXPECT_EQ(run_shell(place + file()).out, run_shell(place + source).out);
    }
}

TEST_F(TopoSave, ReplacesAFileAsAWholeAndLeavesNothingBeside) {
    std::ofstream(file()) << "old";
    ASSERT_EQ(run_shell("exec @/pinwise topo --save " + file()).exit_code(), 0);
    EXPECT_THAT(content(file()), HasSubstr("<topology"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(TopoSave, WhatCannotBeWrittenLeavesTheOldFileAndSaysWhy) {
    std::ofstream(file()) << "old";
    const Ran limited = run_shell("ulimit -f 0; exec @/pinwise topo --save " + file());
    EXPECT_EQ(limited.exit_code(), 1) << limited.out;
    EXPECT_THAT(limited.out, HasSubstr("cannot write"));
    EXPECT_EQ(content(file()), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(TopoSave, FoldersDevicesAndBadSourcesAreMistakes) {
    for (const std::string& arguments : {"--save " + folder_.string(), std::string("--save /dev/null"),
                                         std::string("--save ''"), "--topology /nonexistent.xml --save " + file()}) {
        const Ran ran = run_shell("exec @/pinwise topo " + arguments);
        EXPECT_EQ(ran.exit_code(), 2) << arguments << ran.out;
        EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
    }
    EXPECT_FALSE(fs::exists(file()));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    const Ran nowhere = run_shell("exec @/pinwise topo --save " + file("no/such/folder.xml"));
    EXPECT_EQ(nowhere.exit_code(), 2);
    EXPECT_THAT(nowhere.out, HasSubstr("no/such/folder.xml\": No such file or directory\n"));
}

TEST(Topo, SaysWhichNodesHaveNoMemory) {
    const std::string fixture = std::string(PINWISE_SOURCE_DIR) + "/tests/data/gaps-and-orphans.xml";
    const std::string text = run_shell("exec @/pinwise topo --topology " + fixture).out;
    EXPECT_THAT(text, HasSubstr("  node 9    no memory  CPUs 8-9,12"));
    EXPECT_THAT(text, HasSubstr("  node 4     8192 MiB  no CPUs"));
    EXPECT_THAT(run_shell("exec @/pinwise topo --format json --topology " + fixture).out,
                HasSubstr("\"memory_target\": false"));
}

}  // namespace
}  // namespace pinwise
