#include "placer/scan/armable_memory.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<AddressRange> armable(std::string_view maps, const ArmableMemory::Known& known = {}) {
    std::array<AddressRange, 64> found{};
    const auto ranges = armable_memory(maps, known, found);
    return {ranges.begin(), ranges.end()};
}

TEST(ArmableMemory, IsLargePrivateAnonymousAndWritable) {
    EXPECT_THAT(armable("10000000-10800000 rw-p 00000000 00:00 0 \n"),
                ElementsAre(AddressRange{0x10000000, 0x10800000}));
    EXPECT_THAT(armable("10000000-10800000 rw-p 00000000 00:00 0"), ElementsAre(AddressRange{0x10000000, 0x10800000}));
}

TEST(ArmableMemory, IsNothingElse) {
    for (const char* line : {
             "10000000-10100000 rw-p 00000000 00:00 0 ",                     // small
             "10000000-10800000 r--p 00000000 00:00 0 ",                     // read-only
             "10000000-10800000 rwxp 00000000 00:00 0 ",                     // generated code
             "10000000-10800000 rw-s 00000000 00:00 0 ",                     // shared
             "10000000-10800000 ---p 00000000 00:00 0 ",                     // inaccessible
             "10000000-10800000 rw-p 00000000 08:01 17 /lib/libc.so.6",      // a file
             "10000000-10800000 rw-s 00000000 00:01 3 /dev/zero (deleted)",  // shared anonymous
             "10000000-10800000 rw-p 00000000 00:00 0 [heap]",
             "10000000-10800000 rw-p 00000000 00:00 0 [stack]",
             "10000000-10800000 rw-p 00000000 00:00 0 [anon: glibc: pthread stack: 7]",
             "10000000-10800000 rw-p 00000000 00:10 5 anon_inode:[io_uring]",
             "10800000-10000000 rw-p 00000000 00:00 0 ",
             "10000000-10800000",
             "10000000-",
             "nonsense",
             "",
         })
        EXPECT_THAT(armable(line), IsEmpty()) << line;
}

TEST(ArmableMemory, LeavesSpecialMappingsOfSmapsOut) {
    const auto with_flags = [](const std::string& flags) {
        return armable("10000000-10800000 rw-p 00000000 00:00 0 \nSize: 8192 kB\nAnonHugePages: 8192 kB\nVmFlags: " +
                       flags + " \n");
    };
    EXPECT_THAT(with_flags("rd wr mr mw me ac sd hg"), ElementsAre(AddressRange{0x10000000, 0x10800000}));
    for (const char* flag : {"gd", "lo", "io", "pf", "ht", "dc", "um", "uw", "ui", "mm", "sl"})
        EXPECT_THAT(with_flags(std::string("rd wr mr mw me ") + flag + " ac"), IsEmpty()) << flag;
}

constexpr std::string_view stack_below_array =
    "20000000-20001000 ---p 00000000 00:00 0 \n"
    "20001000-20801000 rw-p 00000000 00:00 0 \n";

TEST(ArmableMemory, TakesWhatLiesAboveAGuardForAStack) {
    EXPECT_THAT(armable(stack_below_array), IsEmpty());
}

TEST(ArmableMemory, IsWhatTheKernelMergedWithAKnownStack) {
    // 512 KiB of stack, and an array that was mapped before it and lies above it in the same mapping.
    const std::array stacks{AddressRange{0x20001000, 0x20081000}};
    EXPECT_THAT(armable(stack_below_array, {.excluded = stacks, .armed = {}}),
                ElementsAre(AddressRange{0x20081000, 0x20801000}));
}

TEST(ArmableMemory, IsCutByExcludedRangesInAnyOrder) {
    const std::array excluded{AddressRange{0x10e00000, 0x10f00000}, AddressRange{0x10800000, 0x10900000},
                              AddressRange{0x10880000, 0x10980000}, AddressRange{0x50000000, 0x60000000},
                              AddressRange{0x10850000, 0x10850000}};
    EXPECT_THAT(armable("10000000-12000000 rw-p 00000000 00:00 0 \n", {.excluded = excluded, .armed = {}}),
                ElementsAre(AddressRange{0x10000000, 0x10800000}, AddressRange{0x10980000, 0x10e00000},
                            AddressRange{0x10f00000, 0x12000000}));
    const std::array everything{AddressRange{0x1000, 0x70000000}};
    EXPECT_THAT(armable("10000000-12000000 rw-p 00000000 00:00 0 \n", {.excluded = everything, .armed = {}}),
                IsEmpty());
}

TEST(ArmableMemory, LeavesTheHeapsOfMallocsArenasOut) {
    EXPECT_THAT(armable("40000000-40900000 rw-p 00000000 00:00 0 \n40900000-44000000 ---p 00000000 00:00 0 \n"),
                IsEmpty());
    EXPECT_THAT(armable("41000000-41900000 rw-p 00000000 00:00 0 \n41900000-44000000 ---p 00000000 00:00 0 \n"),
                ElementsAre(AddressRange{0x41000000, 0x41900000}));
}

TEST(ArmableMemory, IsTheWholeArrayWhileAPartOfItIsArmed) {
    const std::string_view maps =
        "10000000-10400000 rw-p 00000000 00:00 0 \n"
        "10400000-10600000 ---p 00000000 00:00 0 \n"
        "10600000-10700000 rw-p 00000000 00:00 0 \n"
        "10700000-10a00000 ---p 00000000 00:00 0 \n"
        "10a00000-11000000 rw-p 00000000 00:00 0 \n";
    const std::array armed{AddressRange{0x10800000, 0x10a00000}, AddressRange{0x10400000, 0x10600000},
                           AddressRange{0x10700000, 0x10800000}};
    EXPECT_THAT(armable(maps, {.excluded = {}, .armed = armed}), ElementsAre(AddressRange{0x10000000, 0x11000000}));
    EXPECT_THAT(armable(maps), ElementsAre(AddressRange{0x10000000, 0x10400000}));
}

TEST(ArmableMemory, FindsNoMoreThanThereIsRoomFor) {
    std::array<AddressRange, 1> found{};
    const auto ranges = armable_memory(
        "10000000-10800000 rw-p 00000000 00:00 0 \n20000000-20800000 rw-p 00000000 00:00 0 \n", {}, found);
    EXPECT_THAT(ranges, ElementsAre(AddressRange{0x10000000, 0x10800000}));
}

TEST(ArmableMemory, HoldsAnArrayOfThisProcessAndNotItsStack) {
    constexpr std::size_t bytes = 64U << 20;
    void* array = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(array, MAP_FAILED);
    std::ifstream file("/proc/self/smaps");
    std::stringstream text;
    text << file.rdbuf();
    const auto begin = reinterpret_cast<std::uintptr_t>(array);
    const int on_stack = 0;
    bool has_array = false;
    for (const AddressRange& range : armable(text.view())) {
        has_array = has_array || (range.begin <= begin && begin + bytes <= range.end);
        EXPECT_FALSE(range.contains(reinterpret_cast<std::uintptr_t>(&on_stack)));
    }
    EXPECT_TRUE(has_array);
    munmap(array, bytes);
}

}  // namespace
}  // namespace pinwise
