#pragma once
/// /proc/PID/numa_maps: on which nodes the pages of a program's mappings are. Pure.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pinwise {

/// One line.
struct NumaMapping {
    std::uintptr_t start = 0;
    std::string policy;                        ///< "default", "bind:0", ...
    std::string file;                          ///< "heap", "stack" or a path; empty: anonymous
    std::uint64_t page_bytes = 4096;           ///< kernelpagesize_kB
    std::uint64_t anonymous_pages = 0;         ///< anon=
    std::vector<std::uint64_t> pages_on_node;  ///< N0=, N1=, ... in pages of page_bytes
};

/// Lines that cannot be understood are left out.
std::vector<NumaMapping> parse_numa_maps(std::string_view text);

/// All anonymous memory, the heap included and stacks not, in base pages of 4096 bytes by node (index: OS index of the
/// node).
std::vector<std::uint64_t> anonymous_pages_on_node(std::span<const NumaMapping> mappings);

}  // namespace pinwise
