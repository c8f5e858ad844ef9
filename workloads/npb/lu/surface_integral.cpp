#include "workloads/npb/lu/surface_integral.hpp"

#include "workloads/npb/cfd/model.hpp"

namespace pinwise::npb::lu {

namespace {

struct Range {
    std::size_t first;
    std::size_t last;
};

double pressure(const cfd::Grid& grid, std::span<const double> u, std::size_t i, std::size_t j, std::size_t k) {
    const auto value = [&](std::size_t m) { return u[grid.offset(k, j, m, i)]; };
    const double momenta = value(1) * value(1) + value(2) * value(2) + value(3) * value(3);
    return cfd::c2 * (value(4) - 0.5 * momenta / value(0));
}

/// Σ over the cells of a × b of the sum of `corner` at a cell's four corners.
template <class Corner>
double cell_sum(Range a, Range b, const Corner& corner) {
    double sum = 0;
    for (std::size_t y = b.first; y < b.last; ++y)
        for (std::size_t x = a.first; x < a.last; ++x)
            sum += corner(x, y) + corner(x + 1, y) + corner(x, y + 1) + corner(x + 1, y + 1);
    return sum;
}

}  // namespace

double surface_integral(const cfd::Grid& grid, std::span<const double> u) {
    const std::size_t n = grid.points();
    const Range i{1, n - 2};
    const Range j{1, n - 3};
    const Range k{2, n - 2};
    double sum = 0;
    for (const std::size_t z : {k.first, k.last})
        sum += cell_sum(i, j, [&](std::size_t x, std::size_t y) { return pressure(grid, u, x, y, z); });
    for (const std::size_t y : {j.first, j.last})
        sum += cell_sum(i, k, [&](std::size_t x, std::size_t z) { return pressure(grid, u, x, y, z); });
    for (const std::size_t x : {i.first, i.last})
        sum += cell_sum(j, k, [&](std::size_t y, std::size_t z) { return pressure(grid, u, x, y, z); });
    const double h = cfd::Spacing(n).h;
    return 0.25 * h * h * sum;
}

}  // namespace pinwise::npb::lu
