#include "workloads/npb/ft/initial_condition.hpp"

#include <array>

#include "workloads/npb/common/random.hpp"

namespace pinwise::npb::ft {

void fill_row(const FieldShape& shape, std::size_t y, std::size_t z, double* row) {
    const Extent& extent = shape.extent;
    RandomStream random;
    random.skip(2 * extent.nx * (y + extent.ny * z));
    // A generator for every element of a group, so that no multiplication waits for the one before it.
    std::array<std::uint64_t, group_doubles> states{};
    for (std::size_t point = 0; point < group_points; ++point) {
        states.at(point) = random.next_state();
        states.at(group_points + point) = random.next_state();
    }
    constexpr std::uint64_t next_group = lcg_power(group_doubles);
    for (std::size_t group = 0; group < extent.nx / group_points; ++group) {
        for (std::size_t i = 0; i < group_doubles; ++i) {
            row[group * group_doubles + i] = to_uniform(states[i]);
            states[i] = lcg_product(states[i], next_group);
        }
    }
}

}  // namespace pinwise::npb::ft
