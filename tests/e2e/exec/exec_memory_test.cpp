// Memory policies through the command line.

#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_pinwise.hpp"

namespace pinwise {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class ExecMemory : public testing::Test {
protected:
    void SetUp() override {
        if (run_shell("@/probe_memory").out != "mode 0 nodes 0\n") GTEST_SKIP() << "no memory policies here";
        node_ = run_shell("grep -oP 'Mems_allowed_list:\\t\\K[0-9]+' /proc/self/status").out;
        node_ = node_.substr(0, node_.find('\n'));
    }

    std::string node_;  ///< one that has memory and is allowed
};

TEST_F(ExecMemory, PolicyIsInForceInTheProgram) {
    for (const auto& [policy, mode] : {std::pair{"preferred", 1}, {"bind", 2}, {"interleave", 3}}) {
        auto [ran, rows] = run_exec(std::string("--mem ") + policy + ":" + node_ + " -- @/probe_memory");
        EXPECT_THAT(ran.out, HasSubstr("mode " + std::to_string(mode) + " nodes ")) << policy;
        ASSERT_EQ(rows.size(), 1U);
        EXPECT_EQ(rows[0]["mem_policy"], "ok");
    }
    EXPECT_EQ(run_exec("-- @/probe_memory").rows.at(0)["mem_policy"], "") << "none was asked for";
}

TEST_F(ExecMemory, PolicyIsInheritedByProcessesOfAScript) {
    EXPECT_THAT(run_exec("--mem interleave -- sh -c '@/probe_memory; true'").ran.out, HasSubstr("mode 3 "));
}

TEST_F(ExecMemory, FirstTouchTakesBackWhatACallerChose) {
    EXPECT_EQ(run_shell("@/pinwise exec --mem interleave -- @/pinwise exec --mem first-touch -- @/probe_memory").out,
              "mode 0 nodes 0\n");
}

TEST_F(ExecMemory, WeightedInterleaveIsInForceOrSaidToBeMissing) {
    auto [ran, rows] = run_exec("--mem weighted-interleave -- @/probe_memory");
    EXPECT_THAT(rows.at(0)["mem_policy"], AnyOf("ok", "unsupported(EINVAL)"));
    if (rows[0]["mem_policy"] == "ok")
        EXPECT_THAT(ran.out, HasSubstr("mode 6 "));
    else
        EXPECT_THAT(ran.out, HasSubstr("no weighted interleave"));
}

TEST_F(ExecMemory, RefusalOfTheKernelIsOneLineAndTheProgramRunsOn) {
    if (run_shell("@/probe_refusal 1 true").exit_code() != 0) GTEST_SKIP() << "no system call filters here";
    for (const auto& [error, state] : {std::pair{EPERM, "denied(EPERM)"}, {ENOSYS, "unsupported(ENOSYS)"}}) {
        const Ran ran = run_shell("@/probe_refusal " + std::to_string(error) +
                                  " @/pinwise exec --mem interleave --record - -- @/probe_memory");
        EXPECT_EQ(ran.exit_code(), 0);
        EXPECT_THAT(ran.out, HasSubstr(std::string("pinwise: --mem interleave: ") + state + ": set_mempolicy: "));
        EXPECT_THAT(ran.out, HasSubstr("errno " + std::to_string(error) + "\n"));
        EXPECT_THAT(ran.out, HasSubstr(std::string(",") + state + ","));
    }
}

TEST_F(ExecMemory, MistakesAreRefusedBeforeTheProgramRuns) {
    for (const auto& [policy, said] : {std::pair{"bind:999", "node 999 does not exist; nodes with memory: "},
                                       {"bind", "needs nodes"},
                                       {"interleaved", "did you mean interleave"},
                                       {"preferred:0,1", "one node"}}) {
        const Ran ran = run_shell(std::string("@/pinwise exec --mem ") + policy + " -- echo ran");
        EXPECT_EQ(ran.exit_code(), 2) << policy;
        EXPECT_THAT(ran.out, HasSubstr(said));
        EXPECT_EQ(ran.out.find('\n'), ran.out.size() - 1) << "one line: " << ran.out;
    }
}

}  // namespace
}  // namespace pinwise
