// CPU lists and caches as sysfs has them on real machines, odd ones included.

#include "workloads/common/cache_sizes.hpp"

#include <numeric>

#include <gmock/gmock.h>

#include "tests/unit/workloads/temporary_tree.hpp"
#include "workloads/common/allowed_cpus.hpp"

namespace pinwise::workloads {
namespace {

using test::TemporaryTree;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<int> range(int first, int last) {
    std::vector<int> cpus(static_cast<std::size_t>(last - first) + 1);
    std::iota(cpus.begin(), cpus.end(), first);
    return cpus;
}

void add_cache(TemporaryTree& tree, int cpu, int index, std::string_view level, std::string_view type,
               std::string_view size, std::string_view shared) {
    const std::string folder =
        "devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index) + "/";
    tree.file(folder + "level", level).file(folder + "type", type).file(folder + "shared_cpu_list", shared);
    if (!size.empty()) tree.file(folder + "size", size);
}

TEST(KernelList, reads_what_the_kernel_writes) {
    EXPECT_THAT(parse_kernel_list("0-3,8\n").value(), ElementsAre(0, 1, 2, 3, 8));
    EXPECT_THAT(parse_kernel_list(std::string_view("5\n\0", 3)).value(), ElementsAre(5));
    EXPECT_THAT(parse_kernel_list("").value(), IsEmpty());
    EXPECT_THAT(parse_kernel_list("\n").value(), IsEmpty());
    EXPECT_THAT(parse_kernel_list("1279").value(), ElementsAre(1279));
    EXPECT_THAT(parse_kernel_list("2,0-1,1").value(), ElementsAre(0, 1, 2));
}

TEST(KernelList, refuses_what_is_no_list) {
    for (const char* text : {"3-1", "a", "1-", "-1", ",1", "1,", "1,,2", "0x1", "1 2", "99999999999", "0-99999999"})
        EXPECT_FALSE(parse_kernel_list(text)) << text;
}

TEST(AllowedCpus, of_this_thread_are_some_and_ascend) {
    const auto cpus = allowed_cpus();
    ASSERT_FALSE(cpus.empty());
    EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
}

TEST(CacheSizes, the_outermost_data_or_unified_cache_counts_once_for_all_who_share_it) {
    TemporaryTree tree;
    for (int cpu = 0; cpu < 8; ++cpu) {
        add_cache(tree, cpu, 0, "1", "Data", "32K", std::to_string(cpu));
        add_cache(tree, cpu, 1, "1", "Instruction", "32K", std::to_string(cpu));
        add_cache(tree, cpu, 2, "2", "Unified", "512K", std::to_string(cpu));
        add_cache(tree, cpu, 3, "3", "Unified", "32768K", cpu < 4 ? "0-3\n" : "4-7\n");
    }
    const auto both = last_level_caches(range(0, 7), tree.root());
    EXPECT_EQ(both.total_bytes(), std::uint64_t{64} << 20U);
    ASSERT_EQ(both.caches.size(), 2U);
    EXPECT_THAT(both.caches[1].cpus, ElementsAre(4, 5, 6, 7));
    EXPECT_EQ(last_level_caches(std::vector{1, 2}, tree.root()).total_bytes(), std::uint64_t{32} << 20U);
    EXPECT_EQ(cache_total(both).source, "2 LLCs of the allowed CPUs, from sysfs");
    EXPECT_FALSE(cache_total(both).is_assumed);
}

TEST(CacheSizes, without_an_L3_private_L2s_are_the_last_level) {
    TemporaryTree tree;
    for (const int cpu : {0, 1}) {
        add_cache(tree, cpu, 0, "1", "Data", "64K", std::to_string(cpu));
        add_cache(tree, cpu, 1, "2", "Unified", "1024K", std::to_string(cpu));
    }
    EXPECT_EQ(last_level_caches(std::vector{0, 1}, tree.root()).total_bytes(), std::uint64_t{2} << 20U);
}

TEST(CacheSizes, an_instruction_cache_is_never_the_last_level) {
    TemporaryTree tree;
    add_cache(tree, 0, 0, "1", "Data", "32K", "0");
    add_cache(tree, 0, 1, "2", "Instruction", "4096K", "0");
    EXPECT_EQ(last_level_caches(std::vector{0}, tree.root()).total_bytes(), 32768U);
}

TEST(CacheSizes, a_hybrid_machine_without_L3_adds_clusters_and_private_caches) {
    TemporaryTree tree;
    add_cache(tree, 0, 2, "2", "Unified", "2048K", "0-1");
    add_cache(tree, 1, 2, "2", "Unified", "2048K", "0-1");
    for (int cpu = 2; cpu < 6; ++cpu)
        add_cache(tree, cpu, 2, "2", "Unified", "4096K", "2-5");
    EXPECT_EQ(last_level_caches(range(0, 5), tree.root()).total_bytes(), std::uint64_t{6} << 20U);
}

TEST(CacheSizes, what_cannot_be_read_is_told_apart_and_leads_to_the_stated_assumption) {
    TemporaryTree tree;
    add_cache(tree, 0, 3, "3", "Unified", "", "0");       // ARM without sizes
    add_cache(tree, 1, 3, "3", "Unified", "lots", "1");   // no number
    add_cache(tree, 2, 3, "3", "Unified", "0K", "2");     // zero
    add_cache(tree, 3, 3, "3", "Unified", "32K", "3-1");  // no CPU list
    add_cache(tree, 4, 3, "", "Unified", "32K", "4");     // no level
    add_cache(tree, 5, 3, "3", "Unified", "32X", "5");    // no unit
    add_cache(tree, 6, 3, "3", "Unified", "99999999999999999G", "6");
    const auto survey = last_level_caches(range(0, 9), tree.root());
    EXPECT_THAT(survey.caches, IsEmpty());
    EXPECT_EQ(survey.cpus_without.size(), 10U);
    const auto total = cache_total(survey);
    EXPECT_EQ(total.bytes, assumed_cache_bytes);
    EXPECT_TRUE(total.is_assumed);
}

TEST(CacheSizes, known_caches_larger_than_the_assumption_stay) {
    const CacheSurvey survey{{{3, std::uint64_t{512} << 20U, {0}}}, {1}};
    EXPECT_EQ(cache_total(survey).bytes, std::uint64_t{512} << 20U);
    EXPECT_TRUE(cache_total(survey).is_assumed);
}

TEST(CacheSizes, no_cpus_at_all_are_no_division_by_zero_later) {
    EXPECT_EQ(cache_total({}).bytes, assumed_cache_bytes);
}

}  // namespace
}  // namespace pinwise::workloads
