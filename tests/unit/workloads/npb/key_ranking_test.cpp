// Ranks against a plain count, for sequences and teams of every shape.

#include "workloads/npb/is/key_ranking.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "workloads/npb/is/is_reference.hpp"

namespace pinwise::npb::is {
namespace {

std::vector<Key> npb_keys(std::size_t count, unsigned log2_max_key) {
    std::vector<Key> keys(count);
    generate_keys(keys, 0, log2_max_key);
    return keys;
}

template <class Rank>
void expect_right_ranks(std::vector<Key> keys, unsigned log2_max_key, int threads, workloads::Touch touch) {
    SCOPED_TRACE(testing::Message() << keys.size() << " keys below 2^" << log2_max_key << ", " << threads
                                    << " threads");
    const auto team = workloads::start_team(threads);
    ASSERT_TRUE(team);
    auto ranking =
        KeyRanking<Rank>::create(keys.size(), log2_max_key, *team, touch, workloads::ThpAdvice::system_default);
    ASSERT_TRUE(ranking);
    std::vector<Key> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    for (int round = 0; round < 2; ++round)
        ranking->rank_keys(keys);
    for (const Key key : {Key{0}, keys.front(), keys.back(), sorted.back(), (Key{1} << log2_max_key) - 1})
        EXPECT_EQ(ranking->rank_of(key),
                  static_cast<std::uint64_t>(std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin()))
            << key;
    EXPECT_EQ(ranking->sort_and_count_errors(keys), 0U);
    EXPECT_EQ(keys, sorted);
}

TEST(Keys, are_those_that_NPB_names) {
    const auto of_s = npb_keys(65536, 11);
    EXPECT_EQ(std::vector<Key>(of_s.begin(), of_s.begin() + 8),
              (std::vector<Key>{1585, 825, 1060, 1343, 956, 437, 759, 841}));
    EXPECT_EQ(std::accumulate(of_s.begin(), of_s.end(), std::uint64_t{0}), 67027849U);
    EXPECT_EQ(std::ranges::min(of_s), 50U);
    EXPECT_EQ(std::ranges::max(of_s), 1973U);
    std::vector<Key> of_e(1);
    for (const auto& [index, key] : {std::pair{21492309536U, 3063861U}, {3324513396U, 1507984113U}}) {
        generate_keys(of_e, index, 31);
        EXPECT_EQ(of_e.front(), key);
    }
}

TEST(Keys, do_not_depend_on_how_they_are_shared_out) {
    const auto at_once = npb_keys(1000, 16);
    std::vector<Key> in_parts(1000);
    for (std::size_t thread = 0; thread < 7; ++thread) {
        const auto own = own_keys(in_parts, thread, 7);
        generate_keys(own, static_cast<std::uint64_t>(own.data() - in_parts.data()), 16);
    }
    EXPECT_EQ(in_parts, at_once);
}

TEST(KeyRanking, ranks_NPBs_keys_with_any_number_of_threads) {
    for (const int threads : {1, 2, 3, 7, 40})
        expect_right_ranks<std::uint32_t>(npb_keys(65536, 11), 11, threads, workloads::Touch::parallel);
}

TEST(KeyRanking, ranks_with_64_bit_ranks_and_the_main_threads_touch_alike) {
    expect_right_ranks<std::uint64_t>(npb_keys(100'000, 16), 16, 3, workloads::Touch::master);
}

TEST(KeyRanking, ranks_keys_that_are_all_in_one_bucket) {
    expect_right_ranks<std::uint32_t>(std::vector<Key>(50'000, 77), 16, 4, workloads::Touch::parallel);
    expect_right_ranks<std::uint32_t>(std::vector<Key>(50'000, 65535), 16, 4, workloads::Touch::parallel);
    expect_right_ranks<std::uint32_t>(std::vector<Key>(50'000, 0), 16, 4, workloads::Touch::parallel);
}

TEST(KeyRanking, ranks_few_keys_of_a_wide_range_and_random_ones) {
    expect_right_ranks<std::uint32_t>({5, 3, 1'000'000, 3}, 20, 3, workloads::Touch::parallel);
    std::mt19937 random(5);
    std::vector<Key> keys(300'000);
    for (Key& key : keys)
        key = static_cast<Key>(random() % (1U << 22U));
    expect_right_ranks<std::uint32_t>(keys, 22, 2, workloads::Touch::parallel);
}

TEST(KeyRanking, finds_that_keys_were_ranked_wrongly) {
    const auto team = workloads::start_team(2);
    auto keys = npb_keys(65536, 11);
    auto ranking = KeyRanking<std::uint32_t>::create(keys.size(), 11, *team, workloads::Touch::parallel,
                                                     workloads::ThpAdvice::system_default);
    ranking->rank_keys(keys);
    ranking->sort_and_count_errors(keys);
    EXPECT_GT(ranking->sort_and_count_errors(keys), 0U) << "the ranks are used up: keys have no place any more";
}

TEST(BucketShape, takes_little_more_memory_than_the_keys_with_few_threads_and_stays_bounded_with_many) {
    for (const ProblemClass each : classes) {
        const Problem problem = problem_of(each);
        const double key_bytes = static_cast<double>(problem.keys() * sizeof(Key));
        const BucketShape few = bucket_shape(problem.keys(), problem.log2_max_key, 2);
        EXPECT_LT(static_cast<double>(few.bytes()), 1.6 * key_bytes) << to_string(each);
        const BucketShape many = bucket_shape(problem.keys(), problem.log2_max_key, 4096);
        EXPECT_LT(static_cast<double>(many.bytes()), 1.6 * key_bytes + 600e6) << to_string(each);
        EXPECT_EQ(std::size_t{1} << problem.log2_max_key, few.buckets << few.log2_range);
    }
}

TEST(IsReference, expects_ranks_that_move_with_the_iteration) {
    EXPECT_EQ(expected_rank(ProblemClass::s, 0, 1), 1U);
    EXPECT_EQ(expected_rank(ProblemClass::s, 4, 10), 65453U);
    EXPECT_EQ(expected_rank(ProblemClass::w, 0, 1), 1248U);
    EXPECT_EQ(expected_rank(ProblemClass::b, 3, 10), 33135271U);
    EXPECT_EQ(expected_rank(ProblemClass::e, 2, 2), 3248475153U);
    EXPECT_EQ(expected_rank(ProblemClass::e, 2, 3), 3248475153U);
    EXPECT_EQ(expected_rank(ProblemClass::e, 2, 10), 3248475159U);
}

}  // namespace
}  // namespace pinwise::npb::is
