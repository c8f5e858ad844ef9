#pragma once
/// What every test of `pinwise exec --attach ptrace` needs of the machine.

#include <gtest/gtest.h>
#include <sched.h>

#include "placer/attach/ptrace_permission.hpp"
#include "run_pinwise.hpp"

namespace pinwise {

class WithPtrace : public testing::Test {
protected:
    void SetUp() override {
        cpu_set_t cpus;
        if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0 || !CPU_ISSET(0, &cpus) || !CPU_ISSET(1, &cpus))
            GTEST_SKIP() << "needs CPUs 0 and 1";
        if (const auto permitted = check_ptrace(); !permitted) GTEST_SKIP() << permitted.error().message;
    }
};

/// `pinwise exec --attach ptrace --record FILE ARGUMENTS`.
inline Recorded run_traced(const std::string& arguments) {
    return run_exec("--attach ptrace " + arguments);
}

}  // namespace pinwise
