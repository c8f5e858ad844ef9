#include "workloads/npb/sp/sp_kernel.hpp"

#include "workloads/npb/cfd/adi_step.hpp"
#include "workloads/npb/cfd/right_hand_side.hpp"
#include "workloads/npb/sp/pentadiagonal_lines.hpp"
#include "workloads/npb/sp/sp_reference.hpp"

namespace pinwise::npb::sp {

namespace {

constexpr cfd::AdiMethod method{cfd::characteristic_residual, solve_planes, solve_columns, line_doubles};

/// NPB's count for a cube of n³ points.
double operations_a_step(double n) {
    return 881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4;
}

std::unique_ptr<cfd::TimeStep> make_step(cfd::Workspace& workspace) {
    return std::make_unique<cfd::AdiStep>(workspace, method);
}

std::uint64_t thread_bytes(const cfd::Grid& grid, std::size_t /*active*/) {
    return cfd::AdiStep::thread_bytes(method, grid);
}

const cfd::Code& code() {
    static const cfd::Code sp{problem_rows(), operations_a_step, make_step, thread_bytes, false, nullptr};
    return sp;
}

std::uint64_t bytes_needed(ProblemClass problem_class, int threads) {
    return cfd::bytes_needed(code(), problem_class, threads);
}

workloads::Expected<KernelRun> run(const RunParameters& parameters, workloads::ThreadTeam& team) {
    return cfd::run_code(code(), parameters, team);
}

}  // namespace

const Kernel& kernel() {
    static constexpr Kernel sp{
        "sp", "scalar pentadiagonal solver of a CFD problem", "floating point", all_classes, bytes_needed, run};
    return sp;
}

}  // namespace pinwise::npb::sp
