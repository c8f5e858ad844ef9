// The vectors of EP against a scalar loop that does what NPB's document says.

#include "workloads/npb/ep/gaussian_pairs.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "workloads/npb/common/random.hpp"
#include "workloads/npb/ep/ep_reference.hpp"

namespace pinwise::npb::ep {
namespace {

PairTally scalar_tally(std::uint64_t first_batch, std::uint64_t batches) {
    RandomStream random(seed);
    random.skip(2 * batch_pairs * first_batch);
    PairTally tally;
    for (std::uint64_t pair = 0; pair < batches * batch_pairs; ++pair) {
        const double u = 2 * random.next() - 1;
        const double w = 2 * random.next() - 1;
        const double t = u * u + w * w;
        if (t > 1) continue;
        const double factor = std::sqrt(-2 * std::log(t) / t);
        const double x = u * factor;
        const double y = w * factor;
        ++tally.counts.at(static_cast<std::size_t>(std::max(std::fabs(x), std::fabs(y))));
        tally.sum_x += x;
        tally.sum_y += y;
        tally.sum_abs_x += std::fabs(x);
        tally.sum_abs_y += std::fabs(y);
    }
    return tally;
}

TEST(GaussianPairs, are_those_of_the_scalar_loop) {
    for (const auto& [first, count] : {std::pair{0U, 1U}, {1U, 2U}, {777U, 1U}, {1'048'575U, 1U}}) {
        SCOPED_TRACE(first);
        const PairTally found = tally_batches(first, count);
        const PairTally expected = scalar_tally(first, count);
        EXPECT_EQ(found.counts, expected.counts);
        EXPECT_NEAR(found.sum_x, expected.sum_x, 1e-8);
        EXPECT_NEAR(found.sum_y, expected.sum_y, 1e-8);
        EXPECT_NEAR(found.sum_abs_x / expected.sum_abs_x, 1, 1e-13);
        EXPECT_NEAR(found.sum_abs_y / expected.sum_abs_y, 1, 1e-13);
    }
}

TEST(GaussianPairs, of_batches_add_up) {
    PairTally sum = tally_batches(3, 2);
    sum += tally_batches(5, 4);
    const PairTally all = tally_batches(3, 6);
    EXPECT_EQ(sum.counts, all.counts);
    EXPECT_NEAR(sum.sum_x, all.sum_x, 1e-9);
    EXPECT_EQ(tally_batches(3, 0).pairs(), 0U);
}

TEST(EpReference, fails_a_tally_that_lacks_one_pair) {
    const Problem problem = problem_of(ProblemClass::s);
    EXPECT_EQ(problem.pairs(), 16'777'216U);
    PairTally tally = tally_batches(0, problem.batches());
    EXPECT_TRUE(verification_of(checks_of(ProblemClass::s, tally)).passed);
    EXPECT_FALSE(verification_of(checks_of(ProblemClass::w, tally)).passed);
    --tally.counts[0];
    EXPECT_FALSE(verification_of(checks_of(ProblemClass::s, tally)).passed);
}

TEST(EpReference, fails_sums_that_are_off_by_a_ten_millionth) {
    PairTally tally = tally_batches(0, problem_of(ProblemClass::s).batches());
    tally.sum_y *= 1 + 1e-7;
    EXPECT_FALSE(verification_of(checks_of(ProblemClass::s, tally)).passed);
}

}  // namespace
}  // namespace pinwise::npb::ep
