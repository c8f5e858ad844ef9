#include "workloads/npb/ft/decay_table.hpp"

#include <cmath>
#include <numbers>

#include "workloads/npb/ft/problem.hpp"

namespace pinwise::npb::ft {

DecayTable::DecayTable(std::size_t n, int steps) : n_(n) {
    factors_.reserve(n * static_cast<std::size_t>(steps));
    constexpr double rate = -4.0 * alpha * std::numbers::pi * std::numbers::pi;
    for (int step = 1; step <= steps; ++step) {
        for (std::size_t j = 0; j < n; ++j) {
            const auto wave_number = static_cast<double>(j < n / 2 ? j : n - j);  // its sign is squared away
            factors_.push_back(std::exp(rate * wave_number * wave_number * step));
        }
    }
}

}  // namespace pinwise::npb::ft
