#include "placer/scan/segv_mask.hpp"

#include <gtest/gtest.h>

namespace pinwise {
namespace {

sigset_t mask_of(std::initializer_list<int> signals) {
    sigset_t mask;
    sigemptyset(&mask);
    for (const int signal : signals)
        sigaddset(&mask, signal);
    return mask;
}

TEST(SegvMask, TheKernelNeverGetsSigsegvAndTheProgramSeesIt) {
    const sigset_t kernel = to_kernel_mask(mask_of({SIGSEGV, SIGUSR1}));
    EXPECT_EQ(sigismember(&kernel, SIGSEGV), 0);
    EXPECT_EQ(sigismember(&kernel, SIGUSR1), 1);
    const sigset_t program = to_program_mask(kernel);
    EXPECT_EQ(sigismember(&program, SIGSEGV), 1);
    EXPECT_EQ(sigismember(&program, SIGUSR1), 1);
    EXPECT_EQ(sigismember(&program, stand_in_for_segv), 0);
}

TEST(SegvMask, WithoutSigsegvNothingStandsForIt) {
    const sigset_t kernel = to_kernel_mask(mask_of({SIGUSR1, stand_in_for_segv}));
    EXPECT_EQ(sigismember(&kernel, stand_in_for_segv), 0);
    const sigset_t program = to_program_mask(kernel);
    EXPECT_EQ(sigismember(&program, SIGSEGV), 0);
}

}  // namespace
}  // namespace pinwise
