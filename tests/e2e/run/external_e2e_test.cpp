// Programs of the user's as workloads, through the command line.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "runner/record/trials_csv.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string read_all(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

class External : public testing::Test {
protected:
    External() {
        std::string pattern = testing::TempDir() + "/pinwise-external-XXXXXX";
        folder_ = mkdtemp(pattern.data());
    }
    ~External() override { fs::remove_all(folder_); }

    /// One repetition under the OS and placed, unless `head` says otherwise.
    void config(const std::string& keys, const std::string& head = "repetitions = 1\ntimeout_s = 60\n",
                const std::string& matrix = "policy = [\"os\", \"llc\"]\n") const {
        std::ofstream(folder_ / "test.toml")
            << head << "noise_floor = false\n[[workload]]\nname = \"external\"\nlabel = \"it\"\nthreads = 1\n"
            << keys << "\n[[matrix]]\n"
            << matrix;
    }

    [[nodiscard]] int run(const std::string& arguments = "") const {
        fs::remove_all(folder_ / "results");
        const int status =
            std::system(fmt::format("cd '{}' && '{}/pinwise' run test.toml -o results {} >out 2>err </dev/null",
                                    folder_.string(), PINWISE_BIN_DIR, arguments)
                            .c_str());
        return WEXITSTATUS(status);
    }

    [[nodiscard]] std::vector<TrialRow> rows() const {
        const auto table = parse_trials_csv(read_all(folder_ / "results" / "trials.csv"), "trials.csv");
        EXPECT_TRUE(table) << table.error().message;
        return table ? table->rows : std::vector<TrialRow>{};
    }

    [[nodiscard]] std::string text(const std::string& file) const { return read_all(folder_ / file); }

    /// Every trial must have failed, without any number of its own.
    [[nodiscard]] std::string reason_of(const std::string& keys) const {
        config(keys);
        EXPECT_EQ(run(), 1) << text("err");
        for (const TrialRow& row : rows()) {
            EXPECT_EQ(row.status, "failed");
            EXPECT_THAT(row.metric, testing::AnyOf("wall", "user", "sys"));
        }
        const auto all = rows();
        return all.empty() ? "" : all.front().reason;
    }

    fs::path folder_;
};

const std::string elapsed =
    "[[workload.metric]]\nname = \"Elapsed\"\npattern = 'Elapsed (\\S+)'\nunit = \"s\"\nbetter = \"lower\"\n";

TEST_F(External, NumbersOfACommandAreInTheTableAndItsOutputIsKept) {
    config("command = \"echo Elapsed 1.25; echo note >&2\"\n" + elapsed);
    ASSERT_EQ(run(), 0) << text("err");
    int found = 0;
    for (const TrialRow& row : rows()) {
        EXPECT_EQ(row.workload, "external");
        EXPECT_EQ(row.parameters, "label=it");
        if (row.metric != "Elapsed") continue;
        ++found;
        EXPECT_EQ(row.value, 1.25);
        EXPECT_EQ(row.unit, "s");
        EXPECT_EQ(row.better, Better::lower);
    }
    EXPECT_EQ(found, 2);
    EXPECT_THAT(text("out"), AllOf(HasSubstr("external"), HasSubstr("Elapsed")));
    EXPECT_EQ(text("results/output/0001.out"), "Elapsed 1.25\n");
    EXPECT_EQ(text("results/output/0002.err"), "note\n");
}

TEST_F(External, WithoutAMetricHasItsTimes) {
    config("command = [\"true\"]");
    ASSERT_EQ(run(), 0) << text("err");
    EXPECT_EQ(rows().size(), 6U);
}

TEST_F(External, NoNumberIsBetterThanAWrongOne) {
    EXPECT_THAT(reason_of("command = \"echo nothing\"\n" + elapsed), StartsWith("metric \"Elapsed\": no line matches"));
    EXPECT_THAT(reason_of("command = \"echo Elapsed 1; echo Elapsed 2\"\n" + elapsed), HasSubstr("2 matches"));
    EXPECT_THAT(reason_of("command = \"echo Elapsed soon\"\n" + elapsed), HasSubstr("\"soon\" is no number"));
    EXPECT_THAT(reason_of("command = \"echo Elapsed 1; echo bad >&2; exit 3\"\n" + elapsed), StartsWith("exit 3: bad"));
    EXPECT_THAT(reason_of("command = \"echo Elapsed 1\"\nexit_status = 4\n" + elapsed), StartsWith("exit 0 (not 4)"));
    EXPECT_THAT(reason_of("command = \"echo Elapsed 1\"\nsuccess_pattern = '^ok$'\n" + elapsed),
                StartsWith("no success: no line matches"));
    EXPECT_THAT(reason_of("command = \"kill -9 $$\"\n" + elapsed), StartsWith("crashed(SIGKILL)"));
    EXPECT_THAT(reason_of("command = [\"no-such-program\"]\n" + elapsed), StartsWith("not started: "));
    EXPECT_THAT(reason_of("command = \"yes | head -c 20000000; echo Elapsed 1\"\n" + elapsed),
                StartsWith("more than 16 MiB of output"));
}

TEST_F(External, OutputThatIsNoTextIsStillOneReadableReason) {
    EXPECT_EQ(reason_of("command = '''printf \"\\\\377\\\\0bad\\\\033[31m\" >&2; exit 3'''\n"),
              R"(exit 3: \xff bad [31m)");
    EXPECT_THAT(reason_of("command = '''printf \"Elapsed 5\\\\377\\\\n\"'''\n" + elapsed),
                HasSubstr(R"("5\xff" is no number)"));
}

TEST_F(External, CommandsAroundTheTrialsRunWhenTheyShould) {
    config(
        "command = \"echo command >> log\"\nsetup = \"echo setup >> log\"\nprepare = \"echo prepare >> log\"\n"
        "cleanup = \"echo cleanup >> log\"\n",
        "repetitions = 2\ntimeout_s = 60\n", "policy = \"os\"\n");
    ASSERT_EQ(run(), 0) << text("err");
    EXPECT_EQ(text("log"), "setup\nprepare\ncommand\nprepare\ncommand\ncleanup\n");
}

TEST_F(External, ASetupThatFailsIsTheReasonOfItsTrials) {
    EXPECT_THAT(reason_of("command = \"touch ran\"\nsetup = \"echo no source tree >&2; exit 7\"\n"),
                StartsWith("setup: exit 7: no source tree"));
    EXPECT_FALSE(fs::exists(folder_ / "ran"));
    EXPECT_THAT(reason_of("command = \"touch ran\"\nprepare = \"exit 8\"\n"), StartsWith("prepare: exit 8"));
    EXPECT_FALSE(fs::exists(folder_ / "ran"));
    config("command = \"true\"\ncleanup = \"echo cannot >&2; exit 9\"\n");
    EXPECT_EQ(run(), 0);
    EXPECT_THAT(text("err"), HasSubstr("pinwise: it: cleanup: exit 9: cannot"));
}

TEST_F(External, RunsInItsFolderWithItsEnvironment) {
    fs::create_directory(folder_ / "sub");
    std::ofstream(folder_ / "sub" / "program") << "#!/bin/sh\npwd > here\nenv > environment\n";
    fs::permissions(folder_ / "sub" / "program", fs::perms::owner_all);
    config(
        "command = [\"./program\"]\nworking_directory = \"sub\"\nenvironment = { MODE = \"a b\", OMP_NUM_THREADS = 9 "
        "}\n");
    ASSERT_EQ(run(), 0) << text("err");
    EXPECT_EQ(text("sub/here"), fs::canonical(folder_ / "sub").string() + "\n");
    EXPECT_THAT(text("sub/environment"), AllOf(HasSubstr("\nMODE=a b\n"), HasSubstr("PINWISE_THREADS=1\n"),
                                               HasSubstr("OMP_NUM_THREADS=9\n"), HasSubstr("PINWISE_CPUS=")));
}

TEST_F(External, AVariableWithSeveralValuesIsForTheCommandAndItsPreparation) {
    config(
        "command = \"echo command $LEVEL >> log\"\nsetup = \"echo setup $LEVEL >> log\"\n"
        "prepare = \"echo prepare $LEVEL >> log\"\ncleanup = \"echo cleanup $LEVEL >> log\"\n"
        "environment = { LEVEL = [1, 2] }\n",
        "repetitions = 1\ntimeout_s = 60\n", "policy = \"os\"\n");
    ASSERT_EQ(run(), 0) << text("err");
    const std::string log = text("log");
    EXPECT_THAT(log, AllOf(StartsWith("setup\nprepare "), testing::EndsWith("cleanup\n"),
                           HasSubstr("prepare 1\ncommand 1\n"), HasSubstr("prepare 2\ncommand 2\n")));
    for (const TrialRow& row : rows())
        EXPECT_THAT(row.parameters, testing::MatchesRegex("label=it LEVEL=[12]"));
}

TEST_F(External, WhatItLeavesRunningIsEnded) {
    config("command = \"(setsid sh -c 'trap : TERM; exec sleep 12345.75' &); sleep 0.1\"\n");
    ASSERT_EQ(run(), 0) << text("err");
    EXPECT_THAT(rows().front().reason, HasSubstr("left behind and ended"));
    EXPECT_NE(std::system("pgrep -f 'sleep 12345[.]75' >/dev/null"), 0);
}

TEST_F(External, WhatHidesBehindAStrangeNameIsEndedToo) {
    fs::create_symlink("/bin/sleep", folder_ / "x\n) Z 1\n");
    std::ofstream(folder_ / "hide.sh") << "(setsid ./x* 12345.5 &)\nsleep 0.1\n";
    config("command = \"sh ./hide.sh\"\n");
    ASSERT_EQ(run(), 0) << text("err");
    EXPECT_THAT(rows().front().reason, HasSubstr("1 process was left behind and ended"));
    EXPECT_NE(std::system("pgrep -f 'x.* 12345[.]5$' >/dev/null"), 0);
}

TEST_F(External, ADryRunShowsTheCommandAndRunsNothing) {
    config("command = \"touch ran\"\nsetup = \"touch ran\"\n");
    EXPECT_EQ(run("--dry-run"), 0) << text("err");
    EXPECT_THAT(text("out"), HasSubstr("/bin/sh -c 'touch ran'"));
    EXPECT_FALSE(fs::exists(folder_ / "ran"));
}

TEST_F(External, ABalancedTrialHasItsMovesBesideIt) {
    config("command = \"sleep 0.3\"\n", "repetitions = 1\ntimeout_s = 60\n",
           "policy = [\"os\", \"llc\"]\nbalance = [\"none\", \"node-affine:150\"]\n");
    ASSERT_EQ(run(), 0) << text("err");
    int balanced = 0;
    for (const TrialRow& row : rows()) {
        if (row.balance == "none") continue;
        ++balanced;
        EXPECT_EQ(row.policy, "llc");
        EXPECT_EQ(row.bind, "node");
        EXPECT_THAT(row.reason, HasSubstr("balancer: "));
        EXPECT_THAT(text(fmt::format("results/output/{:04}.moves.csv", row.trial)),
                    StartsWith("time_ns,thread,pid,tid,name,"));
    }
    EXPECT_EQ(balanced, 3) << "one strategy";
}

}  // namespace
}  // namespace pinwise
