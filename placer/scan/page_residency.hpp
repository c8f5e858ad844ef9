#pragma once
/// On which nodes the pages of a piece of memory lie.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/scan/address_range.hpp"
#include "placer/scan/page_calls.hpp"

namespace pinwise {

/// Base pages by node (index: OS index of the node).
struct PageResidency {
    std::vector<std::uint64_t> pages_on_node;
    std::uint64_t not_present = 0;
    std::uint64_t unknown = 0;  ///< the kernel did not say (EFAULT, EACCES, ...)

    [[nodiscard]] std::uint64_t present() const;
    /// Pages on `node` of those present, in percent; 0 when none is.
    [[nodiscard]] double percent_on(int node) const;
    PageResidency& operator+=(const PageResidency& other);
};

/// Of memory of this process. At most `most_samples` pages are asked for, evenly spread over the range; counts are of
/// samples.
PageResidency sample_residency(PageCalls& calls, AddressRange range, std::size_t most_samples = 4096);

/// One line of /proc/PID/numa_maps.
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

/// All anonymous memory of a process, in base pages of 4096 bytes.
PageResidency anonymous_residency(std::span<const NumaMapping> mappings);

}  // namespace pinwise
