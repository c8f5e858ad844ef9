#pragma once
/// What hwloc does not check in its synthetic descriptions of machines: "Package:2 [NUMANode(memory=64GB)]
/// L3Cache:4(size=32MB) Core:4 PU:2(indexes=2*16:1*2)".

#include <cstdint>
#include <string>
#include <string_view>

namespace pinwise {

/// Why a description is no machine, in one sentence; empty when nothing speaks against it, though hwloc may still not
/// understand it. hwloc believes negative sizes, lets large ones overflow, puts numbers of its own in the place of a
/// list of indexes that does not fit, and takes hours for what it should refuse.
std::string why_no_machine(std::string_view description);

/// The PUs it asks for.
std::uint64_t synthetic_pu_count(std::string_view description);

}  // namespace pinwise
