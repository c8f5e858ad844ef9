// Memory left for a workload: MemAvailable, and cgroups of both versions in and out of containers.

#include "workloads/common/memory_available.hpp"

#include <gmock/gmock.h>

#include "tests/unit/workloads/temporary_tree.hpp"

namespace pinwise::workloads {
namespace {

using test::TemporaryTree;

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

void add_meminfo(TemporaryTree& tree) {
    tree.file("proc/meminfo", "MemTotal:       2097152 kB\nMemFree:         524288 kB\nMemAvailable:   1048576 kB\n");
}

TEST(MemoryAvailable, without_cgroups_it_is_MemAvailable) {
    TemporaryTree tree;
    add_meminfo(tree);
    const auto available = memory_available(tree.root());
    ASSERT_TRUE(available);
    EXPECT_EQ(available->bytes, 1024 * mib);
    EXPECT_EQ(available->limited_by, "MemAvailable");
}

TEST(MemoryAvailable, a_v2_limit_anywhere_above_the_process_counts_less_what_is_held) {
    TemporaryTree tree;
    add_meminfo(tree);
    tree.file("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n")
        .file("proc/self/cgroup", "0::/user.slice/job.scope\n")
        .file("sys/fs/cgroup/user.slice/memory.max", "314572800\n")      // 300 MiB
        .file("sys/fs/cgroup/user.slice/memory.current", "209715200\n")  // 200 MiB, of which 50 MiB can be given back
        .file("sys/fs/cgroup/user.slice/memory.stat", "anon 1\ninactive_file 52428800\n")
        .file("sys/fs/cgroup/user.slice/job.scope/memory.max", "max\n")
        .file("sys/fs/cgroup/user.slice/job.scope/memory.current", "1\n");
    const auto available = memory_available(tree.root());
    ASSERT_TRUE(available);
    EXPECT_EQ(available->bytes, 150 * mib);
    EXPECT_THAT(available->limited_by, testing::HasSubstr("user.slice/memory.max"));
}

TEST(MemoryAvailable, a_v1_limit_counts_in_the_memory_hierarchy_alone) {
    TemporaryTree tree;
    add_meminfo(tree);
    tree.file("proc/self/mountinfo",
              "31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
              "32 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
        .file("proc/self/cgroup", "5:memory:/job\n1:cpu:/other\n0::/\n")
        .file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "104857600\n")
        .file("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "20971520\n");
    EXPECT_EQ(memory_available(tree.root())->bytes, 80 * mib);
}

TEST(MemoryAvailable, a_container_whose_path_is_the_hosts_reads_the_top_of_its_mount) {
    TemporaryTree tree;
    add_meminfo(tree);
    tree.file("proc/self/mountinfo", "32 23 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n")
        .file("proc/self/cgroup", "5:memory:/docker/abc\n")
        .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "104857600\n")
        .file("sys/fs/cgroup/memory/memory.usage_in_bytes", "0\n");
    EXPECT_EQ(memory_available(tree.root())->bytes, 100 * mib);
}

TEST(MemoryAvailable, an_unlimited_v1_group_changes_nothing_and_a_full_one_leaves_nothing) {
    TemporaryTree tree;
    add_meminfo(tree);
    tree.file("proc/self/mountinfo", "32 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
        .file("proc/self/cgroup", "5:memory:/\n")
        .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
        .file("sys/fs/cgroup/memory/memory.usage_in_bytes", "20971520\n");
    EXPECT_EQ(memory_available(tree.root())->bytes, 1024 * mib);
    tree.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
    EXPECT_EQ(memory_available(tree.root())->bytes, 0U);
}

TEST(MemoryAvailable, without_meminfo_it_is_a_failed_run_that_says_what_to_give) {
    const TemporaryTree tree;
    const auto available = memory_available(tree.root());
    ASSERT_FALSE(available);
    EXPECT_EQ(available.error().status, ExitStatus::failed_run);
    EXPECT_THAT(available.error().message, testing::HasSubstr("MemAvailable"));
}

TEST(MemoryAvailable, torn_lines_are_passed_over) {
    TemporaryTree tree;
    add_meminfo(tree);
    tree.file("proc/self/mountinfo", "32 23\n\n - \n32 - cgroup2\n").file("proc/self/cgroup", "5\n::\n:\n0::\n");
    EXPECT_EQ(memory_available(tree.root())->bytes, 1024 * mib);
}

TEST(MemoryAvailable, of_this_machine_is_known) {
    EXPECT_GT(memory_available()->bytes, 0U);
}

}  // namespace
}  // namespace pinwise::workloads
