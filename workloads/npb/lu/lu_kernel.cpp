#include "workloads/npb/lu/lu_kernel.hpp"

#include "workloads/npb/lu/lu_reference.hpp"
#include "workloads/npb/lu/ssor_step.hpp"
#include "workloads/npb/lu/surface_integral.hpp"

namespace pinwise::npb::lu {

namespace {

/// NPB's count for a cube of n³ points.
double operations_a_step(double n) {
    return 1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010.0;
}

std::unique_ptr<cfd::TimeStep> make_step(cfd::Workspace& workspace) {
    return std::make_unique<SsorStep>(workspace);
}

std::vector<Check> further_checks(ProblemClass problem_class, const cfd::Fields& fields) {
    return {relative_check("the surface integral", surface_integral(fields.grid(), fields.u()),
                           surface_integral_of(problem_class), cfd::verification_tolerance)};
}

const cfd::Code& code() {
    static const cfd::Code lu{problem_rows(), operations_a_step, make_step, SsorStep::thread_bytes,
                              true,           further_checks};
    return lu;
}

std::uint64_t bytes_needed(ProblemClass problem_class, int threads) {
    return cfd::bytes_needed(code(), problem_class, threads);
}

workloads::Expected<KernelRun> run(const RunParameters& parameters, workloads::ThreadTeam& team) {
    return cfd::run_code(code(), parameters, team);
}

}  // namespace

const Kernel& kernel() {
    static constexpr Kernel lu{
        "lu", "lower-upper Gauss-Seidel solver of a CFD problem", "floating point", all_classes, bytes_needed, run};
    return lu;
}

}  // namespace pinwise::npb::lu
