#include "workloads/npb/ua/ua_reference.hpp"

namespace pinwise::npb::ua {

namespace {

constexpr double tolerance = 1e-8;

/// By class, S first.
constexpr std::array<Problem, classes.size()> problems{{
    {4, 50, 0.040, 250, 11'600, 0.1890013110962e-02},
    {5, 100, 0.060, 700, 26'700, 0.2569794837076e-04},
    {6, 200, 0.076, 2'400, 92'700, 0.8939996281443e-04},
    {7, 200, 0.076, 8'800, 334'600, 0.4507561922901e-04},
    {8, 200, 0.067, 33'500, 1'262'100, 0.1544736587100e-04},
    {10, 250, 0.046, 514'400, 19'134'400, 0.1577586272355e-05},
}};

}  // namespace

const Problem& problem_of(ProblemClass problem_class) {
    return problems.at(static_cast<std::size_t>(problem_class));
}

Check check_of(const Problem& problem, double temperature_integral) {
    return relative_check("the temperature integral", temperature_integral, problem.temperature_integral, tolerance);
}

}  // namespace pinwise::npb::ua
