#pragma once
/// Which pages of a piece of memory are present, and where. Safe in a signal handler, keeps errno; one caller at a
/// time.

#include <array>
#include <cstddef>
#include <cstdint>

#include "placer/scan/address_range.hpp"

namespace pinwise {

class GranulePages {
public:
    /// Base pages of the range, at most 2 MiB of whole pages, that are present; 0 where the kernel does not tell.
    [[nodiscard]] std::uint64_t present(AddressRange range) noexcept;
    /// No page of it is on another node. False where the kernel does not tell.
    [[nodiscard]] bool are_all_on(int node, AddressRange range) noexcept;

private:
    static constexpr std::size_t most_pages = 512;
    std::array<unsigned char, most_pages> presence_{};  ///< of mincore
    std::array<void*, most_pages> addresses_{};
    std::array<int, most_pages> nodes_{};  ///< or -errno
};

/// Whether the kernel allows to ask for presence at all.
bool may_ask_for_presence() noexcept;

}  // namespace pinwise
