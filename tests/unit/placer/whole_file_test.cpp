#include "placer/whole_file.hpp"

#include <gtest/gtest.h>

namespace pinwise {
namespace {

TEST(WholeFile, IsTheFileByteByByte) {
    const std::string path = testing::TempDir() + "/whole-file";
    const std::string text("one\ntwo\0three", 13);
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(whole_file(path), text);
    std::filesystem::remove(path);
}

TEST(WholeFile, ThatCannotBeReadIsEmpty) {
    EXPECT_EQ(whole_file("/no/such/file"), "");
    EXPECT_EQ(whole_file("/"), "");
    EXPECT_EQ(whole_file("/proc/self/mem"), "") << "opened, but the read fails, as for a process that has ended";
}

}  // namespace
}  // namespace pinwise
