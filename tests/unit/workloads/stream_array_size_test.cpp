// How large the arrays become, and when to say no.

#include <gmock/gmock.h>

#include "workloads/stream/array_size.hpp"
#include "workloads/stream/command_line.hpp"

namespace pinwise::stream {
namespace {

using testing::HasSubstr;
using workloads::SizeText;

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;
constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

SizeInputs inputs(std::uint64_t llc_bytes, std::uint64_t available_bytes, int threads = 1) {
    return {llc_bytes, {available_bytes, "MemAvailable"}, threads, 2 * mib};
}

TEST(ArraySize, auto_is_four_times_the_caches_in_whole_huge_pages_a_thread) {
    const auto size = choose_array_size(std::nullopt, inputs(32 * mib, 16 * gib, 2));
    ASSERT_TRUE(size);
    EXPECT_EQ(size->array_bytes(), 128 * mib);
    EXPECT_DOUBLE_EQ(size->llc_ratio, 4.0);
    EXPECT_TRUE(size->notes.empty());
    const auto seven = choose_array_size(std::nullopt, inputs(32 * mib, 16 * gib, 7));
    EXPECT_EQ(seven->array_bytes() % (7 * 2 * mib), 0U);
    EXPECT_GE(seven->llc_ratio, 4.0);
}

TEST(ArraySize, auto_on_24_LLCs_of_32_MiB_holds_at_least_402653184_doubles_and_268435456_are_flagged) {
    const auto machine = inputs(24 * 32 * mib * 4, 1024 * gib, 192);
    EXPECT_GE(choose_array_size(std::nullopt, machine)->elements, 402'653'184U);
    const auto epyc_9654 = inputs(24 * 32 * mib, 1024 * gib, 192);
    EXPECT_GE(choose_array_size(std::nullopt, epyc_9654)->elements, 402'653'184U);
    const auto small = choose_array_size(SizeText{268'435'456, false}, epyc_9654);
    ASSERT_TRUE(small);
    EXPECT_NEAR(small->llc_ratio, 2.67, 0.01);
    ASSERT_EQ(small->notes.size(), 1U);
    EXPECT_THAT(small->notes[0], HasSubstr("2.67"));
}

TEST(ArraySize, auto_with_small_caches_is_STREAMs_ten_million_elements_at_least) {
    EXPECT_GE(choose_array_size(std::nullopt, inputs(mib, 16 * gib))->elements, least_auto_elements);
}

TEST(ArraySize, auto_takes_four_fifths_of_memory_at_most_and_says_so) {
    const auto size = choose_array_size(std::nullopt, inputs(512 * mib, gib, 2));
    ASSERT_TRUE(size);
    EXPECT_LE(3 * size->array_bytes(), gib / 5 * 4);
    EXPECT_GE(3 * size->array_bytes(), gib / 5 * 4 - 3 * 2 * 2 * mib);
    EXPECT_LT(size->llc_ratio, 4.0);
    ASSERT_EQ(size->notes.size(), 2U);
    EXPECT_THAT(size->notes[0], HasSubstr("MemAvailable"));
}

TEST(ArraySize, auto_with_next_to_no_memory_still_fits_or_is_a_failed_run) {
    const auto tiny = choose_array_size(std::nullopt, inputs(512 * mib, 3000, 64));
    ASSERT_TRUE(tiny);
    EXPECT_EQ(tiny->elements, 100U);
    const auto none = choose_array_size(std::nullopt, inputs(512 * mib, 0, 64));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().status, workloads::ExitStatus::failed_run);
}

TEST(ArraySize, a_size_asked_for_is_taken_as_it_is) {
    EXPECT_EQ(choose_array_size(SizeText{1'000'003, false}, inputs(32 * mib, gib, 7))->elements, 1'000'003U);
    EXPECT_EQ(choose_array_size(SizeText{256 * mib, true}, inputs(32 * mib, gib))->elements, 32 * mib);
    EXPECT_EQ(choose_array_size(SizeText{17, true}, inputs(32 * mib, gib))->elements, 2U);
}

TEST(ArraySize, a_size_beyond_memory_is_the_users_mistake_and_gives_both_figures) {
    const auto size = choose_array_size(SizeText{gib, true}, inputs(32 * mib, 2 * gib));
    ASSERT_FALSE(size);
    EXPECT_EQ(size.error().status, workloads::ExitStatus::users_mistake);
    EXPECT_THAT(size.error().message, HasSubstr("3 GiB"));
    EXPECT_THAT(size.error().message, HasSubstr("2 GiB"));
}

TEST(ArraySize, less_than_one_element_is_the_users_mistake) {
    EXPECT_EQ(choose_array_size(SizeText{7, true}, inputs(32 * mib, gib)).error().status,
              workloads::ExitStatus::users_mistake);
}

TEST(ChooseStores, auto_goes_around_the_caches_once_the_arrays_exceed_them) {
    EXPECT_EQ(choose_stores(std::nullopt, 128 * mib, 32 * mib), Stores::nontemporal);
    EXPECT_EQ(choose_stores(std::nullopt, 11 * mib, 32 * mib), Stores::nontemporal);
    EXPECT_EQ(choose_stores(std::nullopt, 10 * mib, 32 * mib), Stores::regular);
    EXPECT_EQ(choose_stores(Stores::regular, 128 * mib, 32 * mib), Stores::regular);
    EXPECT_EQ(choose_stores(Stores::nontemporal, 1, 32 * mib), Stores::nontemporal);
}

}  // namespace
}  // namespace pinwise::stream
