#include "runner/host/page_log.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tests/unit/workloads/temporary_tree.hpp"

namespace pinwise {
namespace {

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
