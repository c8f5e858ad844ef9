#include "workloads/npb/cfd/model.hpp"

namespace pinwise::npb::cfd {

namespace {

/// Coefficients by component: the constant, then for each power 1 to 4 those of x, y, z.
constexpr std::array<std::array<double, 13>, 5> coefficients{{
    {2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
    {1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
    {5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
}};

constexpr double polynomial(const std::array<double, 13>& c, std::size_t axis, double s) {
    return s * (c[1 + axis] + s * (c[4 + axis] + s * (c[7 + axis] + s * c[10 + axis])));
}

}  // namespace

State exact_solution(double x, double y, double z) {
    State state{};
    for (std::size_t m = 0; m < state.size(); ++m) {
        const auto& c = coefficients[m];
        state[m] = c[0] + polynomial(c, 0, x) + polynomial(c, 1, y) + polynomial(c, 2, z);
    }
    return state;
}

State blended_state(double x, double y, double z) {
    const State west = exact_solution(0.0, y, z);
    const State east = exact_solution(1.0, y, z);
    const State south = exact_solution(x, 0.0, z);
    const State north = exact_solution(x, 1.0, z);
    const State bottom = exact_solution(x, y, 0.0);
    const State top = exact_solution(x, y, 1.0);
    State state{};
    for (std::size_t m = 0; m < state.size(); ++m) {
        const double px = (1.0 - x) * west[m] + x * east[m];
        const double py = (1.0 - y) * south[m] + y * north[m];
        const double pz = (1.0 - z) * bottom[m] + z * top[m];
        state[m] = px + py + pz - px * py - py * pz - pz * px + px * py * pz;
    }
    return state;
}

}  // namespace pinwise::npb::cfd
