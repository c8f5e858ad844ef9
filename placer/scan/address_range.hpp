#pragma once
/// A piece of the address space of this process.

#include <cstddef>
#include <cstdint>

namespace pinwise {

/// From `begin` up to, not including, `end`.
struct AddressRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;

    [[nodiscard]] constexpr std::size_t bytes() const { return end - begin; }
    [[nodiscard]] constexpr bool empty() const { return end <= begin; }
    [[nodiscard]] constexpr bool contains(std::uintptr_t address) const { return begin <= address && address < end; }
    friend constexpr bool operator==(const AddressRange&, const AddressRange&) = default;
};

}  // namespace pinwise
