#pragma once
/// Sizes as people write them: "256MiB", "1.5GB", "10000000".

#include <cstdint>
#include <string>
#include <string_view>

#include "workloads/common/expected.hpp"

namespace pinwise::workloads {

/// A size in bytes (a unit was given) or a count of elements (none was).
struct SizeText {
    std::uint64_t value = 0;
    bool in_bytes = false;
};

/// Reads a positive whole or decimal number and, in bytes, one of the units B, kB, KiB, MB, MiB, GB, GiB, TB, TiB
/// (in any case; K, M, G and T alone mean KiB, MiB, GiB, TiB). Anything else is the user's mistake.
Expected<SizeText> parse_size(std::string_view text);

/// Bytes for people: "128 MiB", "1.5 GiB", "512 B".
std::string bytes_text(std::uint64_t bytes);

}  // namespace pinwise::workloads
