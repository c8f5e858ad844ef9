#pragma once
/// Which elements belong to which thread.

#include <cstddef>

namespace pinwise::stream {

/// Elements [begin, end) of every array.
struct Slice {
    std::size_t begin = 0;
    std::size_t end = 0;

    [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// Elements of one cache line; slices begin on a multiple of it, so no line is written by two threads.
inline constexpr std::size_t line_elements = 8;

/// The slice of `thread` (0 ≤ thread < threads) when `elements` are cut into `threads` contiguous slices whose sizes
/// differ by at most one cache line (the last may be shorter by a part of a line). Every element is in exactly one
/// slice; with fewer lines than threads some slices are empty.
constexpr Slice slice_of(std::size_t thread, std::size_t threads, std::size_t elements) {
    const std::size_t lines = elements / line_elements + (elements % line_elements != 0 ? 1 : 0);
    const std::size_t share = lines / threads;
    const std::size_t extra = lines % threads;
    const auto first_line = [&](std::size_t index) { return index * share + (index < extra ? index : extra); };
    const auto clip = [&](std::size_t line) {
        return line * line_elements < elements ? line * line_elements : elements;
    };
    return {clip(first_line(thread)), clip(first_line(thread + 1))};
}

}  // namespace pinwise::stream
