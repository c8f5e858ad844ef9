#pragma once
/// A Machine as bytes, for processes that must know the machine without linking hwloc. Read on the host that wrote it:
/// native byte order, no compatibility between versions.

#include <cstddef>
#include <span>
#include <vector>

#include "placer/result.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

std::vector<std::byte> encode_machine(const Machine& machine);

/// Bytes that are truncated, too long, of another version or inconsistent (an index out of range, a CPU number beyond
/// max_cpu_number) are a failure naming the position, never a wrong machine.
Result<Machine> decode_machine(std::span<const std::byte> bytes);

}  // namespace pinwise
