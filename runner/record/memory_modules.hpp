#pragma once
/// Memory modules (DIMMs) as the firmware describes them, and what they can deliver at most. Pure.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pinwise {

/// A slot with a module in it; 0 and "" where the firmware does not know. Serial and asset numbers are not read.
struct MemoryModule {
    std::uint64_t size_bytes = 0;
    int data_width_bits = 0;
    int mt_per_s = 0;  ///< as configured, or else the module's own speed
    std::string type;  ///< "DDR4"
};

/// Structures of type 17 in an SMBIOS table (DMTF DSP0134 3.x, chapter 7.18), as in /sys/firmware/dmi/tables/DMI. Stops
/// at the first structure that does not fit into the table.
std::vector<MemoryModule> parse_memory_modules(std::string_view smbios_table);

/// The sum over all modules, in 10^9 bytes a second: with several modules a channel the machine has less, never more.
/// Absent when there is none, or width or speed of one is not known.
std::optional<double> peak_gb_per_s_at_most(std::span<const MemoryModule> modules);

}  // namespace pinwise
