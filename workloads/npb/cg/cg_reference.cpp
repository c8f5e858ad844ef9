#include "workloads/npb/cg/cg_reference.hpp"

#include <array>

namespace pinwise::npb::cg {

namespace {

constexpr double tolerance = 1e-10;

struct ClassRow {
    Problem problem;
    double zeta = 0;
};

/// By class, S first.
constexpr std::array<ClassRow, all_classes.size()> rows{{
    {{1400, 7, 15, 10}, 8.5971775078648},
    {{7000, 8, 15, 12}, 10.362595087124},
    {{14000, 11, 15, 20}, 17.130235054029},
    {{75000, 13, 75, 60}, 22.712745482631},
    {{150'000, 15, 75, 110}, 28.973605592845},
    {{1'500'000, 21, 100, 500}, 52.514532105794},
    {{9'000'000, 26, 100, 1500}, 77.522164599383},
    {{54'000'000, 31, 100, 5000}, 107.3070826433},
}};

const ClassRow& row_of(ProblemClass problem_class) {
    return rows.at(static_cast<std::size_t>(problem_class));
}

}  // namespace

double Problem::operations() const {
    const auto per_row = static_cast<double>(nonzeros_per_vector * (nonzeros_per_vector + 1));
    return 2.0 * iterations * static_cast<double>(rows) * (3 + per_row + inner_steps * (5 + per_row) + 3);
}

Problem problem_of(ProblemClass problem_class) {
    return row_of(problem_class).problem;
}

Check check_of(ProblemClass problem_class, double zeta) {
    return relative_check("zeta", zeta, row_of(problem_class).zeta, tolerance);
}

}  // namespace pinwise::npb::cg
