#include "placer/agent/session_memory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "placer/agent/descriptor.hpp"
#include "test_session.hpp"

namespace pinwise {
namespace {

TEST(SessionMemory, IsReadBackThroughItsDescriptor) {
    const auto image = encode_machine(zen3_machine());
    int number = -1;
    const auto created = SessionMemory::create(
        {.machine = image, .policy = "explicit:0,1", .bind = Bind::cpu, .allowed = CpuMask::only(300)}, number);
    ASSERT_TRUE(created.has_value());
    const Descriptor descriptor(number);
    const auto attached = SessionMemory::attach(number, created->header().id);
    ASSERT_TRUE(attached.has_value());
    EXPECT_EQ(attached->policy(), "explicit:0,1");
    EXPECT_EQ(attached->header().bind, Bind::cpu);
    EXPECT_EQ(attached->header().allowed.first(), 300);
    EXPECT_TRUE(std::ranges::equal(attached->machine(), image));
    created->header().next_index.store(7);
    EXPECT_EQ(attached->header().next_index.load(), 7) << "one memory, two mappings";
}

TEST(SessionMemory, CannotBeResizedAndIsClosedOnExec) {
    int number = -1;
    const auto created =
        SessionMemory::create({.machine = {}, .policy = "os", .bind = Bind::initial, .allowed = {}}, number);
    ASSERT_TRUE(created.has_value());
    const Descriptor descriptor(number);
    EXPECT_NE(ftruncate(number, 0), 0) << "a program that truncates it would crash the owner";
    EXPECT_TRUE((fcntl(number, F_GETFD) & FD_CLOEXEC) != 0);
    EXPECT_GE(number, 3);
}

TEST(SessionMemory, RefusesAnotherSessionAndOtherFiles) {
    int number = -1;
    const auto created =
        SessionMemory::create({.machine = {}, .policy = "os", .bind = Bind::initial, .allowed = {}}, number);
    ASSERT_TRUE(created.has_value());
    const Descriptor descriptor(number);
    EXPECT_FALSE(SessionMemory::attach(number, created->header().id + 1).has_value());
    created->header().machine_bytes = 1U << 30U;
    EXPECT_FALSE(SessionMemory::attach(number, created->header().id).has_value());
    const Descriptor other(memfd_create("other", MFD_CLOEXEC));
    EXPECT_FALSE(SessionMemory::attach(other.get(), 0).has_value());
    EXPECT_FALSE(SessionMemory::attach(-1, 0).has_value());
}

TEST(SessionAddress, IsReadBackAndNothingElseIsTaken) {
    const SessionAddress address{.owner = 1234, .descriptor = 5, .id = 0xfeedU};
    const auto parsed = SessionAddress::parse(address.text());
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(parsed->text(), "1234/5/feed");
    for (const char* text :
         {"", "1", "1/", "1/2", "1/2/", "1/2/x", "1/2/3 ", "-1/2/3", "1/-2/3", "0/1/2", "99999999999/1/1"}) {
        EXPECT_FALSE(SessionAddress::parse(text).has_value()) << text;
    }
}

TEST(CpuMask, HoldsCpusBeyond1024) {
    const CpuMask mask = CpuMask::of(CpuSet{3, 1279, 8191, 9000});
    EXPECT_EQ(mask.count(), 3);
    EXPECT_EQ(mask.first(), 3);
    EXPECT_TRUE(mask.test(1279));
    EXPECT_EQ(mask.to_cpu_set(), (CpuSet{3, 1279, 8191}));
    EXPECT_NE(mask.hash(), CpuMask::only(3).hash());
}

}  // namespace
}  // namespace pinwise
