#include "placer/topology/machine_image.hpp"

#include <gtest/gtest.h>

#include "placer/domain/domain_tree.hpp"
#include "placer/topology/load_machine.hpp"

namespace pinwise {
namespace {

Machine small_machine() {
    auto machine = load_machine("synthetic:pack:2 [numa] l3:2 core:2 pu:2");
    EXPECT_TRUE(machine.has_value());
    machine->pus[0].node.reset();
    machine->distances = {.nodes = {0, 1}, .values = {10, 32, 32, 10}};
    machine->offline = CpuSet{40, 41};
    machine->reclaim_distance = 32;
    return *machine;
}

TEST(MachineImage, GivesBackEveryField) {
    const Machine before = small_machine();
    const auto after = decode_machine(encode_machine(before));
    ASSERT_TRUE(after.has_value()) << after.error().message;
    EXPECT_EQ(encode_machine(*after), encode_machine(before));
    EXPECT_EQ(after->source, before.source);
    EXPECT_EQ(after->pus.size(), 16U);
    EXPECT_FALSE(after->pus[0].node.has_value());
    EXPECT_EQ(after->pus[15].node, before.pus[15].node);
    EXPECT_EQ(after->llcs[3].cpus, before.llcs[3].cpus);
    EXPECT_EQ(after->nodes[1].memory_bytes, before.nodes[1].memory_bytes);
    EXPECT_EQ(after->distances.between(0, 1), 32);
    EXPECT_EQ(after->offline, before.offline);
    EXPECT_EQ(after->reclaim_distance, 32);
}

TEST(MachineImage, RefusesEveryTruncation) {
    const auto bytes = encode_machine(small_machine());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(decode_machine(std::span(bytes).first(length)).has_value()) << length;
    }
}

TEST(MachineImage, RefusesBytesBehindTheEnd) {
    auto bytes = encode_machine(small_machine());
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode_machine(bytes).has_value());
}

TEST(MachineImage, SurvivesEveryChangedByte) {
    const auto bytes = encode_machine(small_machine());
    int accepted = 0;
    for (std::size_t position = 0; position < bytes.size(); ++position) {
        for (const std::byte flip : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
            auto changed = bytes;
            changed[position] ^= flip;
            const auto machine = decode_machine(changed);
            if (!machine) continue;
            ++accepted;  // still a consistent machine: it can be used
            EXPECT_EQ(DomainTree::build(*machine).cpus(), machine->online);
        }
    }
    EXPECT_GT(accepted, 0);
}

TEST(MachineImage, RefusesAPuOfACacheThatIsNotThere) {
    Machine machine = small_machine();
    machine.pus[3].llc = 4;
    EXPECT_FALSE(decode_machine(encode_machine(machine)).has_value());
}

}  // namespace
}  // namespace pinwise
