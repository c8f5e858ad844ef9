// What becomes of the file of --record, and of programs in bad surroundings.

#include <array>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_pinwise.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class ExecRecord : public testing::Test {
protected:
    void SetUp() override {
        std::array<char, 64> path{"/tmp/pinwise-record-test-XXXXXX"};
        ASSERT_NE(mkdtemp(path.data()), nullptr);
        folder_ = path.data();
    }
    void TearDown() override { fs::remove_all(folder_); }
    /// In the test's own folder.
    [[nodiscard]] Ran run(const std::string& script) const { return run_shell("cd " + folder_ + "; " + script); }
    [[nodiscard]] bool exists(const char* name) const { return fs::exists(fs::path(folder_) / name); }

    std::string folder_;
};

TEST_F(ExecRecord, DoesNotReplaceAFileUnasked) {
    const Ran ran = run("echo mine > f; @/pinwise exec --record f -- echo ran; echo status $?; cat f");
    EXPECT_THAT(ran.out, HasSubstr("--record f: exists"));
    EXPECT_THAT(ran.out, HasSubstr("status 2\nmine\n"));
    EXPECT_EQ(run("@/pinwise exec --overwrite --record f -- true; head -c 7 f; ls").out, "thread,f\n");
}

TEST_F(ExecRecord, OfAKilledRunLeavesTheFileAsItWas) {
    const std::string killed =
        "@/pinwise exec --overwrite --record f -- sleep 5 & "
        "for i in $(seq 100); do test -e f.part && break; sleep 0.02; done; sleep 0.1; "
        "program=$(pgrep -P $! sleep); kill -9 $!; kill $program; wait 2>/dev/null; ";
    EXPECT_THAT(run("echo mine > f; " + killed + "cat f").out, HasSubstr("mine\n"));
    static_cast<void>(run("rm f; " + killed));
    EXPECT_FALSE(exists("f"));
    EXPECT_EQ(run("@/pinwise exec --record f -- true; head -c 7 f").out, "thread,") << "what it left does not stop us";
    EXPECT_FALSE(exists("f.part"));
}

TEST_F(ExecRecord, IsWrittenByOneRunAtATime) {
    const Ran ran =
        run("@/pinwise exec --record f -- sleep 0.5 & "
            "for i in $(seq 100); do test -e f.part && break; sleep 0.02; done; sleep 0.1; "
            "@/pinwise exec --record f -- true; echo status $?; wait; head -c 7 f");
    EXPECT_THAT(ran.out, HasSubstr("another run is writing"));
    EXPECT_THAT(ran.out, HasSubstr("status 2\nthread,"));
}

TEST_F(ExecRecord, LeavesNothingWhenTheProgramCannotRun) {
    EXPECT_EQ(
        run("printf '#!/no/such\\n' > bad; chmod +x bad; @/pinwise exec --policy os --record f -- ./bad").exit_code(),
        126);
    EXPECT_FALSE(exists("f"));
    EXPECT_FALSE(exists("f.part"));
}

TEST_F(ExecRecord, ThatCannotBeWrittenFailsTheRun) {
    if (!fs::exists("/dev/full")) GTEST_SKIP();
    EXPECT_EQ(run("@/pinwise exec --record /dev/full -- true").exit_code(), 1);
    EXPECT_EQ(run("@/pinwise exec --record /dev/full -- sh -c 'exit 7'").exit_code(), 7) << "the program's own first";
    EXPECT_EQ(run("ulimit -f 0; @/pinwise exec --record f -- true").exit_code(), 1);
    EXPECT_FALSE(exists("f"));
}

TEST_F(ExecRecord, GoesThroughALinkAndIntoAPipe) {
    EXPECT_EQ(run("touch g; ln -s g f; @/pinwise exec --overwrite --record f -- true; head -c 7 g; readlink f").out,
              "thread,g\n");
    EXPECT_THAT(run("mkfifo p; cat p & @/pinwise exec --record p -- true; wait").out, StartsWith("thread,"));
}

TEST_F(ExecRecord, AScriptSeesItsOwnName) {
    for (const std::string first_line : {"", "#!/bin/sh\\n"}) {
        const std::string write = "printf '" + first_line + "echo \"$0\"\\n' > s; chmod +x s; ";
        EXPECT_EQ(run(write + "@/pinwise exec -- ./s").out, "./s\n");
        EXPECT_EQ(run(write + "PATH=.:$PATH @/pinwise exec -- s").out, "./s\n");
    }
}

TEST_F(ExecRecord, MessagesShowControlCharacters) {
    const Ran ran = run("@/pinwise exec -- $'no\\nsuch\\e[31m'");
    EXPECT_EQ(ran.out, "pinwise: no\\nsuch\\x1b[31m: command not found\n");
    EXPECT_EQ(run("@/pinwise exec -- ''").out, "pinwise: '': command not found\n");
    EXPECT_THAT(run("@/pinwise exec --policy $'a\\e[2Jb' -- true").out, HasSubstr("a\\x1b[2Jb"));
}

TEST_F(ExecRecord, FewDescriptorsAreNamedAsTheReason) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizers need descriptors of their own";
#endif
    for (const char* most : {"4", "5", "6"}) {
        const Ran ran = run(std::string("ulimit -n ") + most + "; @/pinwise exec -- true");
        if (ran.exit_code() == 0 || ran.exit_code() == 127) continue;  // enough, or too few for the loader
        EXPECT_EQ(ran.exit_code(), 1) << most;
        EXPECT_THAT(ran.out, HasSubstr("Too many open files"));
    }
}

TEST_F(ExecRecord, AnAgentThatIsNotThereIsNamed) {
    const Ran ran = run("PINWISE_AGENT=/no/such/agent.so @/pinwise exec -- echo ran");
    EXPECT_EQ(ran.exit_code(), 1);
    EXPECT_THAT(ran.out, HasSubstr("PINWISE_AGENT=/no/such/agent.so: no such file"));
}

TEST_F(ExecRecord, AProgramThatClosesAllItsDescriptorsIsFollowed) {
    const auto [ran, rows] = run_exec("--policy explicit:0 -- @/probe_processes closefds");
    EXPECT_EQ(ran.exit_code(), 0);
    EXPECT_EQ(rows.size(), 2U);
}

TEST_F(ExecRecord, AProgramThatChangesItsRootIsFollowedAndItsChildrenAreLeftAlone) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    const auto [ran, rows] = run_exec("--policy explicit:0 -- @/probe_processes chroot");
    EXPECT_EQ(ran.exit_code(), 0);
    EXPECT_EQ(rows.size(), 2U);
}

TEST_F(ExecRecord, ASetuidProgramIsRefusedWithTheReason) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    const Ran ran = run("cp /bin/true mine; chown 1 mine; chmod u+s mine; @/pinwise exec -- ./mine; echo status $?");
    EXPECT_THAT(ran.out, HasSubstr("mine is setuid"));
    EXPECT_THAT(ran.out, HasSubstr("status 2\n"));
}

}  // namespace
}  // namespace pinwise
