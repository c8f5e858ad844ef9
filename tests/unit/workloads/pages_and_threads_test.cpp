// Mappings, where their pages are, and the team of threads that uses them.

#include <cstring>

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/unit/workloads/temporary_tree.hpp"
#include "workloads/common/allowed_cpus.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/page_residence.hpp"
#include "workloads/common/thread_team.hpp"

namespace pinwise::workloads {
namespace {

using test::TemporaryTree;

std::uint64_t total(const NodePages& pages) {
    std::uint64_t sum = 0;
    for (const auto& [node, count] : pages)
        sum += count;
    return sum;
}

std::size_t page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(HugePageMapping, starts_on_a_huge_page_and_holds_at_least_what_was_asked_for) {
    for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{4097}, std::uint64_t{5} << 20U}) {
        for (const ThpAdvice advice : {ThpAdvice::on, ThpAdvice::off, ThpAdvice::system_default}) {
            const auto mapping = HugePageMapping::map(bytes, advice);
            ASSERT_TRUE(mapping) << mapping.error().message;
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapping->bytes().data()) % huge_page_bytes(), 0U);
            EXPECT_GE(mapping->bytes().size(), bytes);
            std::memset(mapping->bytes().data(), 1, mapping->bytes().size());
        }
    }
}

TEST(HugePageMapping, moving_leaves_one_owner) {
    auto first = HugePageMapping::map(4096, ThpAdvice::off);
    std::byte* const start = first->bytes().data();
    HugePageMapping second = std::move(*first);
    EXPECT_EQ(second.bytes().data(), start);
    EXPECT_TRUE(first->bytes().empty());
    second = std::move(*HugePageMapping::map(8192, ThpAdvice::off));
    EXPECT_GE(second.bytes().size(), 8192U);
}

TEST(HugePageMapping, refuses_sizes_no_machine_has_with_a_reason) {
    EXPECT_FALSE(HugePageMapping::map(0, ThpAdvice::on));
    EXPECT_FALSE(HugePageMapping::map(~std::uint64_t{0}, ThpAdvice::on));
    const auto beyond_address_space = HugePageMapping::map(std::uint64_t{1} << 60U, ThpAdvice::on);
    ASSERT_FALSE(beyond_address_space);
    EXPECT_THAT(beyond_address_space.error().message, testing::HasSubstr("TiB"));
}

TEST(HugePageMapping, the_huge_page_size_is_the_systems_and_2_MiB_where_it_does_not_say) {
    TemporaryTree tree;
    EXPECT_EQ(huge_page_bytes(tree.root()), std::uint64_t{2} << 20U);
    tree.file("kernel/mm/transparent_hugepage/hpage_pmd_size", "536870912\n");
    EXPECT_EQ(huge_page_bytes(tree.root()), std::uint64_t{512} << 20U);
    tree.file("kernel/mm/transparent_hugepage/hpage_pmd_size", "12345\n");
    EXPECT_EQ(huge_page_bytes(tree.root()), std::uint64_t{2} << 20U);
}

TEST(PageResidence, touched_pages_are_on_a_node_and_untouched_ones_on_none) {
    const auto mapping = HugePageMapping::map(64 * page_bytes(), ThpAdvice::off);
    const auto bytes = mapping->bytes();
    const std::vector<MemoryRange> ranges{bytes};
    const auto before = sample_node_pages(ranges, 1000);
    if (!before) GTEST_SKIP() << before.error().message;
    EXPECT_TRUE(before->empty());
    std::memset(bytes.data(), 1, 32 * page_bytes());
    EXPECT_EQ(total(sample_node_pages(ranges, 1000).value()), 32U);
}

TEST(PageResidence, samples_are_bounded_and_spread) {
    const auto mapping = HugePageMapping::map(256 * page_bytes(), ThpAdvice::off);
    std::memset(mapping->bytes().data(), 1, mapping->bytes().size());
    const std::vector<MemoryRange> ranges{mapping->bytes().first(128 * page_bytes()),
                                          mapping->bytes().last(128 * page_bytes())};
    const auto sampled = sample_node_pages(ranges, 16);
    if (!sampled) GTEST_SKIP() << sampled.error().message;
    EXPECT_GE(total(*sampled), 14U);
    EXPECT_LE(total(*sampled), 18U);
}

TEST(PageResidence, nothing_asked_is_nothing_found) {
    EXPECT_TRUE(sample_node_pages({}, 16)->empty());
    EXPECT_EQ(anon_huge_bytes({}).value_or(1), 0U);
}

TEST(PageResidence, huge_bytes_are_those_of_the_mappings_that_hold_the_ranges) {
    TemporaryTree tree;
    tree.file("smaps",
              "1000-3000 rw-p 00000000 00:00 0 \nSize: 8 kB\nAnonHugePages:      4096 kB\nVmFlags: rd wr mr hg \n"
              "7f00-9000 rw-p 00000000 00:00 0          [heap-of-some]\nAnonHugePages:      2048 kB\n");
    const auto at = [](std::uintptr_t address, std::size_t size) {
        return MemoryRange(reinterpret_cast<const std::byte*>(address), size);
    };
    const std::string smaps = tree.root() / "smaps";
    EXPECT_EQ(anon_huge_bytes(std::vector{at(0x2000, 16)}, smaps).value(), 4096U * 1024);
    EXPECT_EQ(anon_huge_bytes(std::vector{at(0x3000, 16)}, smaps).value(), 0U);
    EXPECT_EQ(anon_huge_bytes(std::vector{at(0x2fff, 2), at(0x8000, 1)}, smaps).value(), 6144U * 1024);
    EXPECT_FALSE(anon_huge_bytes(std::vector{at(0x2000, 16)}, smaps + ".absent"));
}

TEST(ThreadTeam, has_each_thread_once_with_its_own_id_and_cpu) {
    auto team = start_team(5);
    ASSERT_TRUE(team) << team.error().message;
    ASSERT_EQ(team->size(), 5);
    std::vector<pid_t> tids;
    for (int thread = 0; thread < 5; ++thread) {
        const auto& record = team->threads[static_cast<std::size_t>(thread)];
        EXPECT_EQ(record.thread, thread);
        EXPECT_GE(record.first_cpu, 0);
        tids.push_back(record.tid);
    }
    std::sort(tids.begin(), tids.end());
    EXPECT_EQ(std::unique(tids.begin(), tids.end()), tids.end());
    EXPECT_EQ(team->allowed_cpus, allowed_cpus());
    record_last_cpus(*team);
    for (const auto& record : team->threads)
        EXPECT_THAT(team->allowed_cpus, testing::Contains(record.last_cpu));
}

}  // namespace
}  // namespace pinwise::workloads
