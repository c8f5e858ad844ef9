// Arming and opening of real memory of this process. Nobody handles SIGSEGV here, so armed memory is not touched.

#include "placer/scan/armed_table.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "placer/scan/page_calls.hpp"

namespace pinwise {
namespace {

constexpr std::size_t granule = 64U << 10;
constexpr std::size_t page = 4096;

/// As /proc/self/maps has it: "rw-p", ...
std::string permissions_at(std::uintptr_t address) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::istringstream in(line);
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        std::string permissions;
        in >> std::hex >> begin >> dash >> end >> permissions;
        if (begin <= address && address < end) return permissions;
    }
    return "none";
}

/// Anonymous memory that begins and ends at multiples of 2 MiB, all of it present.
class Memory {
public:
    explicit Memory(std::size_t bytes, bool touched = true) : bytes_(bytes) {
        constexpr std::size_t alignment = 2U << 20;
        whole_ = mmap(nullptr, bytes + 2 * alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        whole_bytes_ = bytes + 2 * alignment;
        begin_ = (reinterpret_cast<std::uintptr_t>(whole_) + alignment - 1) / alignment * alignment;
        madvise(whole_, whole_bytes_, MADV_NOHUGEPAGE);
        if (touched)
            for (std::size_t at = 0; at < bytes; at += page)
                bytes_at(begin_)[at] = 1;
    }
    ~Memory() { munmap(whole_, whole_bytes_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    Memory(Memory&&) = delete;
    Memory& operator=(Memory&&) = delete;

    static volatile char* bytes_at(std::uintptr_t address) {
        return reinterpret_cast<volatile char*>(address);  // NOLINT(performance-no-int-to-ptr)
    }
    [[nodiscard]] AddressRange range() const { return {begin_, begin_ + bytes_}; }
    [[nodiscard]] std::uintptr_t at(std::size_t offset) const { return begin_ + offset; }

private:
    std::size_t bytes_;
    std::size_t whole_bytes_ = 0;
    void* whole_ = nullptr;
    std::uintptr_t begin_ = 0;
};

/// Two passes: from wherever the last call ended. True when the kernel refused some of it.
bool arm_all(ArmedTable& table) {
    bool refused = false;
    for (int ends = 0; ends < 2;) {
        const ArmedPiece piece = table.arm_next(std::size_t{1} << 30U, 0);
        refused = refused || piece.refused;
        ends += piece.range.empty() ? 1 : 0;
    }
    return refused;
}

void* pointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

TEST(ArmedTable, ArmsWhatIsTrackedAndOpensItWithTheProtectionItHad) {
    const Memory memory(8 * granule);
    ArmedTable table(granule);
    ASSERT_TRUE(table.usable());
    mprotect(pointer(memory.at(0)), 4 * granule, PROT_READ);
    table.track({memory.at(0), memory.at(4 * granule)}, PROT_READ);
    table.track({memory.at(4 * granule), memory.at(8 * granule)}, PROT_READ | PROT_WRITE);
    const ArmedPiece piece = table.arm_next(8 * granule, 77);
    EXPECT_EQ(piece.granules, 8U);
    EXPECT_EQ(piece.pages, 8 * granule / page);
    EXPECT_EQ(permissions_at(memory.at(0)), "---p");
    EXPECT_EQ(permissions_at(memory.at(7 * granule)), "---p");
    const Opening opening = table.open(memory.at(granule + 5));
    EXPECT_TRUE(opening.was_armed);
    EXPECT_EQ(opening.armed_ms, 77U);
    EXPECT_EQ(opening.granule, (AddressRange{memory.at(granule), memory.at(2 * granule)}));
    EXPECT_EQ(permissions_at(memory.at(granule)), "r--p");
    EXPECT_EQ(permissions_at(memory.at(2 * granule)), "---p");
    EXPECT_FALSE(table.open(memory.at(granule + 5)).was_armed) << "it is open";
    table.open_all();
    EXPECT_EQ(table.armed_granules(), 0U);
    EXPECT_EQ(permissions_at(memory.at(0)), "r--p");
    EXPECT_EQ(permissions_at(memory.at(4 * granule)), "rw-p");
}

TEST(ArmedTable, WhatIsAllOnTheNodeToBeLeftAloneIsNotArmed) {
    const Memory memory(4 * granule);
    const int node = node_of_page(pointer(memory.at(0)));
    if (node < 0) GTEST_SKIP() << "the kernel does not tell where pages are";
    ArmedTable table(granule);
    table.track(memory.range(), PROT_READ | PROT_WRITE);
    EXPECT_EQ(table.arm_next(4 * granule, 0, node).granules, 0U);
    EXPECT_EQ(permissions_at(memory.at(0)), "rw-p");
    EXPECT_TRUE(table.arm_next(4 * granule, 0, node).range.empty()) << "it was looked at";
    EXPECT_EQ(table.arm_next(4 * granule, 0, node + 1).granules, 4U);
}

TEST(ArmedTable, WhatMayBeAHugePageIsOpenedAsAWhole) {
    constexpr std::size_t huge = 2U << 20;
    const Memory memory(2 * huge);
    ArmedTable table(granule);
    // Of the second one a part is not known.
    table.track({memory.at(0), memory.at(2 * huge - granule)}, PROT_READ | PROT_WRITE);
    const AddressRange first{memory.at(0), memory.at(huge)};
    const auto opened_at = [&](std::size_t offset) {
        arm_all(table);
        return table.open(memory.at(offset)).granule;
    };
    EXPECT_EQ(opened_at(5 * granule).bytes(), granule) << "nobody wants huge pages";
    table.advise_huge(memory.range(), true);
    EXPECT_EQ(opened_at(5 * granule), first);
    EXPECT_EQ(permissions_at(memory.at(0)), "rw-p");
    EXPECT_EQ(opened_at(huge + 5 * granule).bytes(), granule);
    arm_all(table);
    EXPECT_TRUE(table.hold({memory.at(granule), memory.at(granule) + 8}));
    EXPECT_EQ(permissions_at(memory.at(31 * granule)), "rw-p") << "a system call's buffer does not split it, either";
    table.release({memory.at(granule), memory.at(granule) + 8});
    table.advise_huge(memory.range(), false);
    EXPECT_EQ(opened_at(5 * granule).bytes(), granule);
    ArmedTable by_default(granule, true);
    table.stop();
    by_default.track(first, PROT_READ | PROT_WRITE);
    arm_all(by_default);
    EXPECT_EQ(by_default.open(memory.at(granule)).granule, first);
}

TEST(ArmedTable, GranulesThatArePartOfSomethingElseAreNotArmed) {
    const Memory memory(4 * granule);
    ArmedTable table(granule);
    table.track({memory.at(page), memory.at(3 * granule - page)}, PROT_READ | PROT_WRITE);
    EXPECT_EQ(table.arm_next(4 * granule, 0).granules, 1U);
    EXPECT_EQ(permissions_at(memory.at(0)), "rw-p");
    EXPECT_EQ(permissions_at(memory.at(granule)), "---p");
    EXPECT_EQ(permissions_at(memory.at(2 * granule)), "rw-p");
}

TEST(ArmedTable, MemoryThatWasNeverTouchedIsNotArmed) {
    const Memory memory(4 * granule, false);
    Memory::bytes_at(memory.at(granule))[0] = 1;
    ArmedTable table(granule);
    table.track(memory.range(), PROT_READ | PROT_WRITE);
    const ArmedPiece piece = table.arm_next(4 * granule, 0);
    EXPECT_EQ(piece.granules, 1U);
    EXPECT_EQ(piece.pages, 1U);
}

TEST(ArmedTable, WhatIsUnreadableOrExecutableIsNotArmed) {
    const Memory memory(4 * granule);
    ArmedTable table(granule);
    for (const int protection : {PROT_NONE, PROT_WRITE, PROT_READ | PROT_EXEC}) {
        table.track(memory.range(), protection);
        EXPECT_EQ(table.arm_next(4 * granule, 0).granules, 0U) << protection;
    }
}

TEST(ArmedTable, ForgottenMemoryIsOpenAndNeverArmedAgain) {
    const Memory memory(4 * granule);
    ArmedTable table(granule);
    table.track(memory.range(), PROT_READ | PROT_WRITE);
    table.arm_next(4 * granule, 0);
    const std::uint64_t before = table.epoch();
    table.forget({memory.at(granule + 1), memory.at(2 * granule + 1)});
    EXPECT_NE(table.epoch(), before) << "a fault that was on its way must be tried again";
    EXPECT_EQ(permissions_at(memory.at(granule)), "rw-p");
    EXPECT_EQ(permissions_at(memory.at(2 * granule)), "rw-p");
    EXPECT_EQ(permissions_at(memory.at(3 * granule)), "---p");
    EXPECT_FALSE(table.tracks_any({memory.at(granule), memory.at(3 * granule)}));
    table.open_all();
    arm_all(table);
    EXPECT_EQ(permissions_at(memory.at(granule)), "rw-p");
}

TEST(ArmedTable, HeldMemoryIsOpenUntilAllWhoHoldItRelease) {
    const Memory memory(2 * granule);
    ArmedTable table(granule);
    table.track(memory.range(), PROT_READ | PROT_WRITE);
    table.arm_next(2 * granule, 0);
    const AddressRange buffer{memory.at(100), memory.at(200)};
    ASSERT_TRUE(table.hold(buffer));
    ASSERT_TRUE(table.hold(buffer));
    EXPECT_EQ(permissions_at(memory.at(0)), "rw-p");
    table.release(buffer);
    arm_all(table);
    EXPECT_EQ(permissions_at(memory.at(0)), "rw-p");
    EXPECT_EQ(permissions_at(memory.at(granule)), "---p");
    table.release(buffer);
    arm_all(table);
    EXPECT_EQ(permissions_at(memory.at(0)), "---p");
    std::array<char, 16> elsewhere{};
    const auto here = reinterpret_cast<std::uintptr_t>(elsewhere.data());
    EXPECT_FALSE(table.hold({here, here + elsewhere.size()})) << "it has nothing to do with us";
}

TEST(ArmedTable, ProtectionFollowsTheProgramAndMixedGranulesAreLeftAlone) {
    const Memory memory(4 * granule);
    ArmedTable table(granule);
    table.track(memory.range(), PROT_READ | PROT_WRITE);
    table.arm_next(4 * granule, 0);
    const AddressRange changed{memory.at(granule + page), memory.at(3 * granule)};
    table.protection_changes(changed);
    EXPECT_EQ(permissions_at(memory.at(granule)), "rw-p");
    mprotect(pointer(changed.begin), changed.bytes(), PROT_READ);
    table.protection_changed(changed, PROT_READ);
    table.open_all();
    arm_all(table);
    EXPECT_EQ(permissions_at(memory.at(granule)), "rw-p") << "half of it is read-only";
    EXPECT_EQ(permissions_at(memory.at(granule + page)), "r--p");
    EXPECT_EQ(permissions_at(memory.at(2 * granule)), "---p");
    table.open_all();
    EXPECT_EQ(permissions_at(memory.at(2 * granule)), "r--p");
    EXPECT_EQ(permissions_at(memory.at(3 * granule)), "rw-p");
}

TEST(ArmedTable, NothingIsArmedDuringAPauseOrAfterTheStop) {
    const Memory memory(2 * granule);
    ArmedTable table(granule);
    table.track(memory.range(), PROT_READ | PROT_WRITE);
    table.arm_next(2 * granule, 0);
    table.pause();
    EXPECT_EQ(table.armed_granules(), 0U);
    EXPECT_TRUE(table.arm_next(2 * granule, 0).paused);
    table.resume();
    EXPECT_FALSE(table.arm_next(2 * granule, 0).paused);
    table.stop();
    EXPECT_EQ(table.armed_granules(), 0U);
    EXPECT_TRUE(table.arm_next(2 * granule, 0).paused);
}

TEST(ArmedTable, NoMoreThanSoManyGranulesAreArmedAtOnce) {
    const Memory memory((most_armed_granules + 10) * page);
    ArmedTable table(page);
    table.track(memory.range(), PROT_READ | PROT_WRITE);
    const ArmedPiece piece = table.arm_next(memory.range().bytes(), 0);
    EXPECT_TRUE(piece.all_are_armed);
    EXPECT_EQ(table.armed_granules(), most_armed_granules);
    table.open_all();
}

/// Uses up all mappings that a process may have, as an array of pages with alternating protection.
class NoMoreMappings {
public:
    NoMoreMappings() {
        wall_ = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        const auto begin = reinterpret_cast<std::uintptr_t>(wall_);
        for (std::size_t at = page; at < bytes && !used_up_; at += 2 * page)
            used_up_ = mprotect(pointer(begin + at), page, PROT_NONE) != 0;
    }
    ~NoMoreMappings() { munmap(wall_, bytes); }
    NoMoreMappings(const NoMoreMappings&) = delete;
    NoMoreMappings& operator=(const NoMoreMappings&) = delete;
    NoMoreMappings(NoMoreMappings&&) = delete;
    NoMoreMappings& operator=(NoMoreMappings&&) = delete;
    [[nodiscard]] bool used_up() const { return used_up_; }

private:
    static constexpr std::size_t bytes = std::size_t{140000} * page;
    void* wall_ = nullptr;
    bool used_up_ = false;
};

TEST(ArmedTable, WithTooManyMappingsTheWholeRegionIsOpenedAndArmingIsRefused) {
    const Memory memory(16 * granule);
    ArmedTable table(granule);
    table.track(memory.range(), PROT_READ | PROT_WRITE);
    table.arm_next(16 * granule, 0);
    {
        const NoMoreMappings all;
        if (!all.used_up()) GTEST_SKIP() << "vm.max_map_count is higher here";
        EXPECT_TRUE(table.open(memory.at(5 * granule)).was_armed);
        EXPECT_EQ(table.armed_granules(), 0U);
        EXPECT_GE(table.openings_refused(), 1U);
        Memory::bytes_at(memory.at(0))[0] = 2;
        Memory::bytes_at(memory.at(15 * granule))[0] = 2;
        table.hold({memory.at(3 * granule), memory.at(3 * granule + 1)});
        EXPECT_TRUE(arm_all(table)) << "around the granule that is held it must split";
    }
    std::size_t inaccessible = 0;
    for (std::size_t at = 0; at < memory.range().bytes(); at += granule)
        inaccessible += permissions_at(memory.at(at)) == "---p" ? 1 : 0;
    EXPECT_EQ(inaccessible, table.armed_granules()) << "what was refused is as it was";
    EXPECT_LT(inaccessible, 15U);
    table.open_all();
    EXPECT_EQ(permissions_at(memory.at(5 * granule)), "rw-p");
}

TEST(ArmedTable, TellsHowFarTrackedMemoryReaches) {
    const Memory memory(4 * granule);
    ArmedTable table(granule);
    table.track({memory.at(granule), memory.at(3 * granule)}, PROT_READ | PROT_WRITE);
    EXPECT_EQ(table.tracked_from(memory.at(granule + 9)),
              (AddressRange{memory.at(granule + 9), memory.at(3 * granule)}));
    EXPECT_TRUE(table.tracked_from(memory.at(0)).empty());
    EXPECT_EQ(table.tracked_around(memory.at(2 * granule)), (AddressRange{memory.at(granule), memory.at(3 * granule)}));
    EXPECT_EQ(table.protection_of({memory.at(granule), memory.at(3 * granule)}), PROT_READ | PROT_WRITE);
    EXPECT_EQ(table.protection_of(memory.range()), -1);
}

}  // namespace
}  // namespace pinwise
