#include "runner/trial/kernel_balancing.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pinwise {
namespace {

using testing::HasSubstr;

/// A file that stands for the sysctl.
class KernelBalancingTest : public testing::Test {
protected:
    void SetUp() override { write("2\n"); }
    void TearDown() override { ::unlink(file().c_str()); }

    [[nodiscard]] static std::string file() {
        return testing::TempDir() + "pinwise_numa_balancing_" + std::to_string(getpid_of_test());
    }
    static void write(const std::string& value) { std::ofstream(file()) << value; }
    [[nodiscard]] static std::string value() {
        std::ifstream stream(file());
        std::string text;
        stream >> text;
        return text;
    }
    /// The guarding process works at its own pace.
    [[nodiscard]] static bool becomes(const std::string& wanted) {
        for (int i = 0; i < 500 && value() != wanted; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return value() == wanted;
    }

private:
    /// The same in children of the test.
    static pid_t getpid_of_test() {
        static const pid_t pid = getpid();
        return pid;
    }
};

TEST_F(KernelBalancingTest, IsSetAndPutBack) {
    {
        auto balancing = KernelBalancing::open(file());
        ASSERT_TRUE(balancing) << balancing.error().message;
        EXPECT_TRUE(balancing->set(true));
        EXPECT_EQ(value(), "1");
        EXPECT_TRUE(balancing->set(false));
        EXPECT_EQ(value(), "0");
    }
    EXPECT_EQ(value(), "2");
}

TEST_F(KernelBalancingTest, IsNotWrittenWhenItIsSoAlready) {
    for (const auto& [before, on] :
         {std::pair{"1", true}, std::pair{"3", true}, std::pair{"0", false}, std::pair{"2", false}}) {
        write(before);
        auto balancing = KernelBalancing::open(file());
        ASSERT_TRUE(balancing);
        EXPECT_TRUE(balancing->set(on));
        EXPECT_EQ(value(), before);
    }
}

TEST_F(KernelBalancingTest, IsPutBackAfterAnEndWithoutGoodbye) {
    for (const int number : {SIGKILL, SIGSEGV, SIGTERM}) {
        write("0");
        const pid_t child = fork();
        if (child == 0) {
            auto balancing = KernelBalancing::open(file());
            if (!balancing || !balancing->set(true) || value() != "1") _exit(1);
            signal(number, SIG_DFL);  // a sanitizer may have its own
            kill(getpid(), number);
            _exit(2);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
        EXPECT_TRUE(becomes("0")) << strsignal(number);
    }
}

TEST_F(KernelBalancingTest, LeavesNoChildBehind) {
    auto balancing = KernelBalancing::open(file());
    ASSERT_TRUE(balancing);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST_F(KernelBalancingTest, IsRefusedWhereTheKernelHasNone) {
    const auto balancing = KernelBalancing::open("/nonexistent/numa_balancing");
    ASSERT_FALSE(balancing);
    EXPECT_THAT(balancing.error().message, HasSubstr("this kernel has no NUMA balancing"));
    EXPECT_THAT(why_balancing_cannot_be_set("/nonexistent/numa_balancing"), HasSubstr("no NUMA balancing"));
}

TEST_F(KernelBalancingTest, SaysThatItTakesPermission) {
    EXPECT_EQ(why_balancing_cannot_be_set(file()), "");
    auto balancing = KernelBalancing::open("/proc/version");  // not even root can write it
    ASSERT_TRUE(balancing);
    const auto set = balancing->set(true);
    ASSERT_FALSE(set);
    EXPECT_THAT(set.error().message, HasSubstr("kernel.numa_balancing cannot be set to 1"));
}

}  // namespace
}  // namespace pinwise
