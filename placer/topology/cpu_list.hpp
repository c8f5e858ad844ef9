#pragma once
/// The CPU list grammar of `-C` and `explicit:`.
///
///     list  = item { "," item }
///     item  = N | N "-" M | N "-" M ":" STRIDE | N "-" M ":" USED "/" GROUP
///
/// `0-15:2` is 0,2,...,14; `0-1023:2/256` takes the first 2 of every 256: 0,1,256,257,512,... Numbers are decimal.
/// Blanks, reversed ranges, empty items, negative and overflowing numbers are errors that name the position
/// (taskset, numactl, the kernel and libgomp disagree on most of these).

#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"
#include "placer/topology/cpu_set.hpp"

namespace pinwise {

/// Largest CPU or node number accepted in a list.
inline constexpr int max_cpu_number = 65535;

/// The list in the user's order, repetitions kept: what an assignment (thread i on the i-th CPU) needs.
/// Errors are usage errors of the form `CPU list "3-1": position 1: ...`.
Result<std::vector<int>> parse_cpu_list(std::string_view text);

/// The shortest list for a set: "0-3,8". Empty set: "".
std::string format_cpu_list(const CpuSet& cpus);

}  // namespace pinwise
