#pragma once
/// A thread's working memory: the planes in flight and the rows that a sweep puts together.

#include <algorithm>
#include <array>
#include <cstddef>

namespace pinwise::npb::mg {

/// Doubles on each side of a row that is read beyond its ends: a cache line, so that rows stay aligned.
inline constexpr std::size_t row_margin = 8;

/// Doubles from a row of a window to the next.
constexpr std::size_t row_pitch(std::size_t n) {
    return n + row_margin;
}

/// Rows of a tile: as many as leave six planes of the window in half to three quarters of a usual second-level cache
/// (1 MiB), at least eight.
constexpr std::size_t tile_rows(std::size_t n, std::size_t rows) {
    constexpr std::size_t window_bytes = std::size_t{768} << 10U;
    std::size_t fitting = 8;
    while (6 * (2 * fitting + 3) * row_pitch(n) * sizeof(double) <= window_bytes)
        fitting *= 2;
    return std::min(fitting, rows);
}

/// Three planes in flight of a tile's rows.
class Window {
public:
    Window(double* start, std::size_t n, std::size_t rows)
        : start_(start), pitch_(row_pitch(n)), plane_(rows * row_pitch(n)) {}

    static constexpr std::size_t elements(std::size_t n, std::size_t rows) { return 3 * rows * row_pitch(n); }

    /// Row `row` (≥ 0, counted from the window's first) of the plane-th plane since the sweep began.
    [[nodiscard]] double* row(std::size_t plane, std::size_t row) const {
        return start_ + plane % 3 * plane_ + row * pitch_;
    }

private:
    double* start_;
    std::size_t pitch_;
    std::size_t plane_;
};

/// The parts of a stencil for one row: its value at x is here[x] + beside[x − 1] + beside[x + 1].
struct StencilRow {
    double* here;
    double* beside;  ///< also valid at −1 and n
};

/// A thread's working memory, cut up.
struct Scratch {
    Window first;
    Window second;
    std::array<StencilRow, 2> stencils{};
    double* row;  ///< of n points, also valid at −1 and n

    static constexpr std::size_t margined(std::size_t n) { return n + 2 * row_margin; }

    static constexpr std::size_t elements(std::size_t n, std::size_t tile) {
        return Window::elements(n, tile + 4) + Window::elements(n, tile + 2) + 5 * margined(n);
    }

    Scratch(double* start, std::size_t n, std::size_t tile)
        : first(start, n, tile + 4), second(start + Window::elements(n, tile + 4), n, tile + 2) {
        double* next = start + Window::elements(n, tile + 4) + Window::elements(n, tile + 2) + row_margin;
        for (auto& stencil : stencils) {
            stencil = {next, next + margined(n)};
            next += 2 * margined(n);
        }
        row = next;
    }
};

/// Neighbouring rows y − 1 … y + 2 of three neighbouring planes.
struct RowNeighbours {
    std::array<const double*, 4> below;
    std::array<const double*, 4> here;
    std::array<const double*, 4> above;
};

}  // namespace pinwise::npb::mg
