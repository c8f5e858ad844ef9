#pragma once
/// The size of a page that is not huge, on the machines pinwise runs on.

#include <cstddef>

namespace pinwise {

inline constexpr std::size_t page_bytes = 4096;

}  // namespace pinwise
