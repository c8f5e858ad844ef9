#include "placer/memory/apply_memory_policy.hpp"

#include <array>
#include <cerrno>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pinwise {
namespace {

using Step = MemoryAnswer::Step;

/// In a child, because the policy stays.
MemoryAnswer applied_in_child(const std::vector<MemoryPolicy>& policies) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
        MemoryAnswer answer;
        for (const MemoryPolicy& policy : policies)
            answer = apply_memory_policy(policy);
        _exit(write(ends[1], &answer, sizeof(answer)) == static_cast<ssize_t>(sizeof(answer)) ? 0 : 1);
    }
    MemoryAnswer answer;
    EXPECT_EQ(read(ends[0], &answer, sizeof(answer)), static_cast<ssize_t>(sizeof(answer)));
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
    return answer;
}

bool is_refused_here(const MemoryAnswer& answer) {
    return answer.step == Step::refused && (answer.error == EPERM || answer.error == ENOSYS);
}

TEST(ApplyMemoryPolicy, IsReadBack) {
    const CpuSet node{allowed_memory_nodes().first()};
    for (const MemoryMode mode : {MemoryMode::interleave, MemoryMode::bind, MemoryMode::preferred}) {
        const MemoryAnswer answer = applied_in_child({{mode, node}});
        if (is_refused_here(answer)) GTEST_SKIP() << to_string(answer);
        EXPECT_EQ(to_string(answer), "ok");
        EXPECT_EQ(explain(answer), "");
    }
}

TEST(ApplyMemoryPolicy, KnowsWhetherThisKernelWeighs) {
    const MemoryAnswer answer =
        applied_in_child({{MemoryMode::weighted_interleave, CpuSet{allowed_memory_nodes().first()}}});
    if (is_refused_here(answer)) GTEST_SKIP() << to_string(answer);
    EXPECT_TRUE(to_string(answer) == "ok" || to_string(answer) == "unsupported(EINVAL)") << to_string(answer);
}

TEST(ApplyMemoryPolicy, ReturnsToFirstTouchWhereACallerChoseAnother) {
    const CpuSet node{allowed_memory_nodes().first()};
    const MemoryAnswer answer = applied_in_child({{MemoryMode::interleave, node}, {MemoryMode::first_touch, {}}});
    if (answer.step == Step::unverified) GTEST_SKIP() << to_string(answer);
    EXPECT_EQ(to_string(answer), "ok");
}

TEST(ApplyMemoryPolicy, OfANodeThatIsNotThereIsRefused) {
    const MemoryAnswer answer = applied_in_child({{MemoryMode::bind, CpuSet{1000}}});
    if (is_refused_here(answer)) GTEST_SKIP() << to_string(answer);
    EXPECT_EQ(to_string(answer), "refused(EINVAL)");
}

TEST(ApplyMemoryPolicy, NamesWhatTheKernelAnswered) {
    const auto state = [](Step step, int error, MemoryMode mode = MemoryMode::bind) {
        return to_string(MemoryAnswer{step, error, mode});
    };
    EXPECT_EQ(state(Step::refused, EPERM), "denied(EPERM)");
    EXPECT_EQ(state(Step::refused, ENOSYS), "unsupported(ENOSYS)");
    EXPECT_EQ(state(Step::refused, EINVAL, MemoryMode::weighted_interleave), "unsupported(EINVAL)");
    EXPECT_EQ(state(Step::refused, ENOMEM), "refused(ENOMEM)");
    EXPECT_EQ(state(Step::unverified, EPERM), "unverified(EPERM)");
    EXPECT_EQ(state(Step::differs, 0), "differs");
    EXPECT_EQ(state(Step::refused, 9999), "refused(9999)");
    EXPECT_EQ(explain({Step::refused, EPERM, MemoryMode::bind}), "set_mempolicy: Operation not permitted");
}

}  // namespace
}  // namespace pinwise
