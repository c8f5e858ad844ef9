#include "workloads/npb/bt/bt_kernel.hpp"

#include "workloads/npb/bt/block_lines.hpp"
#include "workloads/npb/bt/bt_reference.hpp"
#include "workloads/npb/cfd/adi_step.hpp"
#include "workloads/npb/cfd/right_hand_side.hpp"

namespace pinwise::npb::bt {

namespace {

constexpr cfd::AdiMethod method{cfd::residual, solve_planes, solve_columns, line_doubles};

/// NPB's count for a cube of n³ points.
double operations_a_step(double n) {
    return 3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n;
}

std::unique_ptr<cfd::TimeStep> make_step(cfd::Workspace& workspace) {
    return std::make_unique<cfd::AdiStep>(workspace, method);
}

std::uint64_t thread_bytes(const cfd::Grid& grid, std::size_t /*active*/) {
    return cfd::AdiStep::thread_bytes(method, grid);
}

const cfd::Code& code() {
    static const cfd::Code bt{problem_rows(), operations_a_step, make_step, thread_bytes, false, nullptr};
    return bt;
}

std::uint64_t bytes_needed(ProblemClass problem_class, int threads) {
    return cfd::bytes_needed(code(), problem_class, threads);
}

workloads::Expected<KernelRun> run(const RunParameters& parameters, workloads::ThreadTeam& team) {
    return cfd::run_code(code(), parameters, team);
}

}  // namespace

const Kernel& kernel() {
    static constexpr Kernel bt{
        "bt", "block-tridiagonal solver of a CFD problem", "floating point", all_classes, bytes_needed, run};
    return bt;
}

}  // namespace pinwise::npb::bt
