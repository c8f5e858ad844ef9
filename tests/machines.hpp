#pragma once
/// The literature's machines as synthetic strings, and loading that fails the test instead of returning an error.

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "placer/topology/load_machine.hpp"

namespace pinwise::test {

/// 2-socket Zen3 of the 2022 patch: LLC = (cpu % 128) / 8, siblings c and c + 128.
inline constexpr auto zen3_nps1 =
    "synthetic:Package:2 [NUMANode(memory=256GB)] L3Cache:8(size=32MB) L2Cache:8(size=512KB) L1dCache:1(size=32KB) "
    "Core:1 "
    "PU:2(indexes=2*128:1*2)";
inline constexpr auto zen3_nps4 =
    "synthetic:Package:2 Group:4 [NUMANode(memory=64GB)] L3Cache:2(size=32MB) L2Cache:8(size=512KB) "
    "L1dCache:1(size=32KB) Core:1 "
    "PU:2(indexes=2*128:1*2)";
inline constexpr auto zen3_l3_as_numa =
    "synthetic:Package:2 L3Cache:8(size=32MB) [NUMANode(memory=32GB)] L2Cache:8(size=512KB) L1dCache:1(size=32KB) "
    "Core:1 "
    "PU:2(indexes=2*128:1*2)";
/// 2 x 24C/48T Skylake, "numbering A": 0-23,48-71 | 24-47,72-95.
inline constexpr auto skylake_block =
    "synthetic:Package:2 [NUMANode(memory=96GB)] L3Cache:1(size=33792KB) L2Cache:24(size=1MB) L1dCache:1(size=32KB) "
    "Core:1 "
    "PU:2(indexes=2*48:1*2)";
/// The same box in "numbering B": even CPUs on node 0, odd on node 1, siblings c and c + 48.
inline constexpr auto skylake_evenodd =
    "synthetic:Package:2 [NUMANode(memory=96GB)] L3Cache:1(size=33792KB) L2Cache:24(size=1MB) L1dCache:1(size=32KB) "
    "Core:1 "
    "PU:2(indexes=48*2:2*24:1*2)";
/// SNC4: an LLC spans four nodes.
inline constexpr auto sapphire_rapids_snc4 =
    "synthetic:Package:2 L3Cache:1(size=105MB) Group:4 [NUMANode(memory=64GB)] L2Cache:14(size=2MB) "
    "L1dCache:1(size=48KB) Core:1 "
    "PU:2(indexes=2*112:1*2)";
/// HBM nodes beside the DRAM nodes.
inline constexpr auto xeon_max_flat =
    "synthetic:Package:2 [NUMANode(memory=512GB)] [NUMANode(memory=64GB)] L3Cache:1(size=105MB) L2Cache:52(size=2MB) "
    "L1dCache:1(size=48KB) "
    "Core:1 PU:2(indexes=2*104:1*2)";
inline constexpr auto altra_no_l3 =
    "synthetic:Package:1 [NUMANode(memory=256GB)] L2Cache:80(size=1MB) L1dCache:1(size=64KB) Core:1 PU:1";
inline constexpr auto big_4096 =
    "synthetic:Package:16 [NUMANode(memory=512GB)] L3Cache:16(size=32MB) L2Cache:8(size=512KB) L1dCache:1(size=32KB) "
    "Core:1 "
    "PU:2(indexes=2*2048:1*2)";
/// Eight levels of two, CPU numbers dealt round all of them.
inline constexpr auto eight_levels =
    "synthetic:Package:2 Group:2 Group:2 [NUMANode(memory=1GB)] L3Cache:2(size=8MB) L2Cache:2(size=1MB) L1dCache:2 "
    "Core:2 PU:2(indexes=128*2:64*2:32*2:16*2:8*2:4*2:2*2:1*2)";
inline constexpr auto two_small_nodes = "synthetic:Package:2 [NUMANode(memory=1GB)] L3Cache:1(size=8MB) Core:4 PU:1";

inline Machine load(std::string_view source) {
    auto machine = load_machine(source);
    if (!machine) throw std::runtime_error(machine.error().message);
    return *machine;
}

}  // namespace pinwise::test
