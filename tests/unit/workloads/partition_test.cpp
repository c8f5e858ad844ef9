// Every element belongs to exactly one thread, whatever the numbers.

#include "workloads/common/partition.hpp"

#include <random>

#include <gtest/gtest.h>

namespace pinwise::workloads {
namespace {

void expect_exact_cover(std::size_t threads, std::size_t elements, std::size_t granule = line_elements) {
    std::size_t next = 0;
    std::size_t smallest = elements;
    std::size_t largest = 0;
    for (std::size_t thread = 0; thread < threads; ++thread) {
        const Slice slice = slice_of(thread, threads, elements, granule);
        ASSERT_EQ(slice.begin, next) << threads << " threads, " << elements << " elements, thread " << thread;
        ASSERT_LE(slice.begin, slice.end);
        if (slice.size() != 0) {
            ASSERT_EQ(slice.begin % granule, 0U);
        }
        smallest = std::min(smallest, slice.size());
        largest = std::max(largest, slice.size());
        next = slice.end;
    }
    ASSERT_EQ(next, elements);
    ASSERT_LT(largest - smallest, 2 * granule);
}

TEST(Partition, covers_small_numbers_exactly_with_any_number_of_threads) {
    for (std::size_t threads = 1; threads <= 40; ++threads)
        for (std::size_t elements = 0; elements <= 200; ++elements)
            expect_exact_cover(threads, elements);
}

TEST(Partition, covers_large_random_numbers_exactly) {
    std::mt19937_64 random(20240601);
    for (int trial = 0; trial < 2000; ++trial)
        expect_exact_cover(random() % 300 + 1, random() % (std::size_t{1} << (random() % 50 + 1)));
}

TEST(Partition, cuts_at_the_granule_asked_for) {
    for (const std::size_t granule : {1U, 3U, 16U, 4096U})
        for (const std::size_t elements : {0U, 1U, 17U, 4095U, 100'003U})
            expect_exact_cover(7, elements, granule);
}

TEST(Partition, of_a_prime_like_number_over_seven_threads) {
    expect_exact_cover(7, 1'000'003);
}

TEST(Partition, with_more_threads_than_lines_leaves_some_empty) {
    EXPECT_EQ(slice_of(0, 5, 3).size(), 3U);
    EXPECT_EQ(slice_of(4, 5, 3).size(), 0U);
}

TEST(Partition, holds_beyond_32_bits) {
    const std::size_t elements = 6'000'000'000;
    EXPECT_EQ(slice_of(1, 2, elements).begin, elements / 2);
    EXPECT_EQ(slice_of(1, 2, elements).end, elements);
}

}  // namespace
}  // namespace pinwise::workloads
