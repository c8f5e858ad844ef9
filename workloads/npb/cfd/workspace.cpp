#include "workloads/npb/cfd/workspace.hpp"

namespace pinwise::npb::cfd {

workloads::Expected<Fields> Fields::map(const Grid& grid, workloads::ThpAdvice advice) {
    auto mapping = workloads::HugePageMapping::map(bytes(grid), advice);
    if (!mapping) return tl::unexpected(mapping.error());
    return Fields(grid, std::move(*mapping));
}

std::uint64_t Fields::bytes(const Grid& grid) {
    return count * distance(grid) * sizeof(double);
}

std::size_t Fields::distance(const Grid& grid) {
    constexpr std::size_t page_doubles = 512;
    constexpr std::size_t stagger_doubles = 21 * line_doubles;
    return (grid.doubles() + page_doubles - 1) / page_doubles * page_doubles + stagger_doubles;
}

std::span<double> Fields::field(std::size_t index) const {
    return mapping_.as<double>(count * distance(grid_)).subspan(index * distance(grid_), grid_.doubles());
}

std::vector<workloads::NamedArray> Fields::arrays() const {
    return {{"u", std::as_bytes(u())}, {"rhs", std::as_bytes(rhs())}, {"forcing", std::as_bytes(forcing())}};
}

std::vector<workloads::MemoryRange> Fields::ranges_of(Slab planes) const {
    std::vector<workloads::MemoryRange> ranges;
    if (planes.empty()) return ranges;
    for (std::size_t index = 0; index < count; ++index)
        ranges.push_back(
            std::as_bytes(field(index).subspan(planes.begin * grid_.plane(), planes.size() * grid_.plane())));
    return ranges;
}

}  // namespace pinwise::npb::cfd
