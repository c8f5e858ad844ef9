#include "runner/trial/page_log.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "runner/trial/numa_maps.hpp"
#include "tests/unit/workloads/temporary_tree.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;

TEST(NumaMaps, TellWhereAnonymousPagesAre) {
    const auto mappings = parse_numa_maps(
        "55d0a000 default file=/usr/bin/cat mapped=5 N0=5 kernelpagesize_kB=4\n"
        "55d1b000 default heap anon=3 dirty=3 N0=1 N1=2 kernelpagesize_kB=4\n"
        "7f000000 bind:0-1 anon=2048 dirty=2048 active=0 N0=512 N2=1536 kernelpagesize_kB=4\n"
        "7f900000 default huge anon=2 dirty=2 N1=2 kernelpagesize_kB=2048\n"
        "7ffe0000 default stack anon=5 dirty=5 N0=5 kernelpagesize_kB=4\n"
        "7fff0000 default\n"
        "not a mapping\n"
        "7fff1000 default anon=1 N99999999999999999999=1 N4000000=1 Nx=1 N0=x\n");
    ASSERT_EQ(mappings.size(), 7U);
    EXPECT_EQ(mappings[0].file, "/usr/bin/cat");
    EXPECT_EQ(mappings[1].file, "heap");
    EXPECT_EQ(mappings[2].policy, "bind:0-1");
    EXPECT_EQ(mappings[2].start, 0x7f000000U);
    EXPECT_THAT(mappings[2].pages_on_node, ElementsAre(512, 0, 1536));
    EXPECT_EQ(mappings[3].page_bytes, 2U << 20);
    EXPECT_THAT(mappings[6].pages_on_node, testing::IsEmpty());
    EXPECT_THAT(anonymous_pages_on_node(mappings), ElementsAre(1 + 512, 2 + 2 * 512, 1536));
}

TEST(PageLog, TellsOnWhichNodesAProgramsMemoryIs) {
    test::TemporaryTree tree;
    tree.file("proc/7/numa_maps",
              "7f00 default anon=30 dirty=30 N0=10 N2=20 kernelpagesize_kB=4\n"
              "7f90 default anon=2 dirty=2 N2=2 kernelpagesize_kB=2048\n"
              "8000 default file=/usr/lib/libc.so.6 mapped=5 N0=5 kernelpagesize_kB=4\n");
    PageLog log(7, tree.root());
    log.look();
    log.look();
    const auto document = log.document();
    ASSERT_EQ(document["samples"].size(), 1U) << "the second look comes too early";
    EXPECT_EQ(document["samples"][0]["pages_on_node"], (nlohmann::ordered_json{{"0", 10}, {"2", 20 + 2 * 512}}));
    EXPECT_GE(document["samples"][0]["time_s"], 0);
    EXPECT_FALSE(document.contains("reason"));
}

TEST(PageLog, SaysWhyThereIsNothing) {
    test::TemporaryTree tree;
    PageLog log(8, tree.root());
    log.look();
    const auto document = log.document();
    EXPECT_TRUE(document["samples"].empty());
    EXPECT_THAT(document["reason"], testing::HasSubstr("No such file"));
}

TEST(PageLog, KnowsThisProcess) {
    if (!std::filesystem::exists("/proc/self/numa_maps")) GTEST_SKIP() << "a kernel without NUMA";
    PageLog log(getpid());
    log.look();
    const auto document = log.document();
    ASSERT_EQ(document["samples"].size(), 1U);
    EXPECT_FALSE(document["samples"][0]["pages_on_node"].empty());
}

}  // namespace
}  // namespace pinwise
