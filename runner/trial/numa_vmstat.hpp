#pragma once
/// The counters of /proc/vmstat that tell of page migration. They are of the whole system.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pinwise {

enum class VmstatCounter : std::uint8_t {
    numa_local,  ///< pages allocated on the node of the CPU that asked
    numa_pte_updates,
    numa_huge_pte_updates,
    numa_hint_faults,
    numa_hint_faults_local,
    numa_pages_migrated,
    pgmigrate_success,
    pgmigrate_fail,  // the last one, see vmstat_counter_count
};
inline constexpr std::size_t vmstat_counter_count = static_cast<std::size_t>(VmstatCounter::pgmigrate_fail) + 1;

/// The kernel's name.
std::string_view to_string(VmstatCounter counter);

/// Nothing for those that this kernel does not have.
using NumaVmstat = std::array<std::optional<std::uint64_t>, vmstat_counter_count>;

/// Of the text of /proc/vmstat.
NumaVmstat parse_vmstat(std::string_view text);

/// Of the running system; nothing in it where it cannot be read.
NumaVmstat read_vmstat();

/// What was counted in between.
NumaVmstat operator-(const NumaVmstat& later, const NumaVmstat& earlier);

inline std::optional<std::uint64_t> value_of(const NumaVmstat& vmstat, VmstatCounter counter) {
    return vmstat[static_cast<std::size_t>(counter)];
}

}  // namespace pinwise
