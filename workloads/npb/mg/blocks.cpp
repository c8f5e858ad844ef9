#include "workloads/npb/mg/blocks.hpp"

#include <algorithm>

#include "workloads/common/partition.hpp"

namespace pinwise::npb::mg {

namespace {

constexpr std::size_t thinnest_slab = 8;
constexpr std::size_t fewest_rows = 4;

}  // namespace

BlockGrid block_grid(std::size_t n, std::size_t threads) {
    const std::size_t useful = std::clamp<std::size_t>(n * n * n / least_points_per_thread, 1, threads);
    const std::size_t most_parts = std::max<std::size_t>(n / fewest_rows, 1);
    const std::size_t most_slabs = std::max<std::size_t>(n / thinnest_slab, 1);
    std::size_t parts = 1;
    while (parts < most_parts && useful / parts > most_slabs)
        ++parts;
    return {std::min(useful / parts, most_slabs), parts};
}

Block block_of(std::size_t thread, const BlockGrid& grid, std::size_t n) {
    if (thread >= grid.count()) return {};
    const auto planes = workloads::slice_of(thread / grid.parts, grid.slabs, n, 2);
    const auto rows = workloads::slice_of(thread % grid.parts, grid.parts, n, 2);
    return {planes.begin, planes.end, rows.begin, rows.end};
}

}  // namespace pinwise::npb::mg
