#pragma once
/// Which elements belong to which thread.

#include <cstddef>

namespace pinwise::workloads {

/// Elements [begin, end) of every array.
struct Slice {
    std::size_t begin = 0;
    std::size_t end = 0;

    [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// Elements of 8 bytes in one cache line; slices begin on a multiple of it, so no line is written by two threads.
inline constexpr std::size_t line_elements = 8;

/// The slice of `thread` (0 ≤ thread < threads) when `elements` are cut into `threads` contiguous slices that begin on
/// multiples of `granule` (≥ 1) and whose sizes differ by at most one granule (the last may be shorter by a part of
/// one). Every element is in exactly one slice; with fewer granules than threads some slices are empty.
constexpr Slice slice_of(std::size_t thread, std::size_t threads, std::size_t elements,
                         std::size_t granule = line_elements) {
    const std::size_t granules = elements / granule + (elements % granule != 0 ? 1 : 0);
    const std::size_t share = granules / threads;
    const std::size_t extra = granules % threads;
    const auto first_granule = [&](std::size_t index) { return index * share + (index < extra ? index : extra); };
    const auto clip = [&](std::size_t index) { return index * granule < elements ? index * granule : elements; };
    return {clip(first_granule(thread)), clip(first_granule(thread + 1))};
}

}  // namespace pinwise::workloads
