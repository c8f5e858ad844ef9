#include "workloads/npb/cfd/adi_step.hpp"

#include "workloads/npb/cfd/right_hand_side.hpp"

namespace pinwise::npb::cfd {

AdiStep::AdiStep(Workspace& workspace, const AdiMethod& method)
    : workspace_(workspace),
      method_(method),
      barrier_(static_cast<int>(workspace.threads), workspace.spin_rounds),
      line_memory_(workspace.threads) {}

void AdiStep::touch(std::size_t thread) {
    line_memory_[thread].resize(method_.line_doubles(workspace_.grid()));
}

void AdiStep::step(std::size_t thread) {
    const Fields& fields = workspace_.fields;
    const Grid& grid = fields.grid();
    const AdiCall call{grid, workspace_.dt, fields.u().data(), fields.rhs().data(), line_memory_[thread].data()};
    const Slab share = workspace_.planes_of(thread);  // of the planes, later of the rows
    if (!share.empty()) {
        method_.right_hand_side(grid, share, call.u, fields.forcing().data(), call.dt, call.rhs,
                                workspace_.residual_memory[thread].data());
        method_.solve_planes(call, share);
    }
    barrier_.wait();
    if (!share.empty()) method_.solve_columns(call, share);
    barrier_.wait();
}

void AdiStep::end(std::size_t thread) {
    const Fields& fields = workspace_.fields;
    residual(fields.grid(), workspace_.planes_of(thread), fields.u().data(), fields.forcing().data(), 1.0,
             fields.rhs().data(), workspace_.residual_memory[thread].data());
}

}  // namespace pinwise::npb::cfd
