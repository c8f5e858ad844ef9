#include "workloads/npb/lu/ssor_step.hpp"

#include <algorithm>

#include "workloads/npb/cfd/right_hand_side.hpp"

namespace pinwise::npb::lu {

namespace {

/// Stages of a sweep for each thread, where there are groups enough: threads − 1 stages pass while the pipeline fills.
constexpr std::size_t stages_a_thread = 8;

/// Groups of a stage: whole blocks of rows for one thread, fewer the more threads must be kept busy.
std::size_t groups_a_stage(const PlaneCut& cut, std::size_t threads) {
    if (threads == 1) return cut.groups;
    const std::size_t parts = (stages_a_thread * threads + cut.blocks - 1) / cut.blocks;
    return std::max<std::size_t>(1, cut.groups / parts);
}

}  // namespace

SsorStep::SsorStep(cfd::Workspace& workspace)
    : workspace_(workspace),
      active_(cfd::active_threads(workspace.grid(), workspace.threads)),
      cut_(workspace.grid(), block_rows()),
      groups_a_stage_(groups_a_stage(cut_, active_)),
      stages_a_block_((cut_.groups + groups_a_stage_ - 1) / groups_a_stage_),
      forward_(active_, workspace.spin_rounds),
      backward_(active_, workspace.spin_rounds),
      barrier_(static_cast<int>(workspace.threads), workspace.spin_rounds),
      own_(active_),
      stages_before_(workspace.threads) {}

void SsorStep::touch(std::size_t thread) {
    const std::size_t planes = workspace_.planes_of(thread).size();
    own_[thread].handed_up.resize(cut_.handed_up_doubles());
    own_[thread].edges.resize(planes * cut_.edge_doubles());
    own_[thread].carried.resize(planes * cut_.carried_doubles());
}

std::uint64_t SsorStep::thread_bytes(const cfd::Grid& grid, std::size_t active) {
    const PlaneCut cut(grid, block_rows());
    const std::size_t planes = (grid.interior() + active - 1) / active;
    return sizeof(double) * (cut.handed_up_doubles() + planes * (cut.edge_doubles() + cut.carried_doubles()));
}

Stage SsorStep::stage_at(std::size_t number) const {
    const std::size_t first = number % stages_a_block_ * groups_a_stage_;
    return {number / stages_a_block_, first, std::min(first + groups_a_stage_, cut_.groups)};
}

Sweep SsorStep::sweep_of(std::size_t thread) {
    Own& own = own_[thread];
    const cfd::Fields& fields = workspace_.fields;
    return {fields.grid(),        cut_,
            workspace_.dt,        fields.u().data(),
            fields.rhs().data(),  workspace_.planes_of(thread),
            own.handed_up.data(), own.edges.data(),
            own.carried.data()};
}

void SsorStep::sweep_forward(std::size_t thread, std::uint32_t stages_before) {
    const Sweep sweep = sweep_of(thread);
    const double* received = thread == 0 ? nullptr : own_[thread - 1].handed_up.data();
    for (std::size_t number = 0; number < stages(); ++number) {
        const std::uint32_t done = stages_before + static_cast<std::uint32_t>(number) + 1;
        if (thread > 0) forward_.await(thread - 1, done);
        forward_stage(sweep, stage_at(number), received);
        forward_.set_done(thread, done);
    }
}

void SsorStep::sweep_backward(std::size_t thread, std::uint32_t stages_before) {
    const Sweep sweep = sweep_of(thread);
    const bool is_last = thread + 1 == active_;
    const double* received = is_last ? nullptr : own_[thread + 1].handed_up.data();
    for (std::size_t number = 0; number < stages(); ++number) {
        const std::uint32_t done = stages_before + static_cast<std::uint32_t>(number) + 1;
        if (!is_last) backward_.await(thread + 1, done);
        backward_stage(sweep, stage_at(stages() - 1 - number), received);
        backward_.set_done(thread, done);
    }
}

void SsorStep::set_residual(std::size_t thread) {
    const cfd::Fields& fields = workspace_.fields;
    cfd::residual(fields.grid(), workspace_.planes_of(thread), fields.u().data(), fields.forcing().data(), 1.0,
                  fields.rhs().data(), workspace_.residual_memory[thread].data());
}

void SsorStep::begin(std::size_t thread) {
    set_residual(thread);
}

/// No barrier between the sweeps: a thread begins the backward sweep when its neighbour has, which has then read what
/// this one handed up forward. None after the residual either: the next thing that changes states others read is a
/// backward sweep, which has to wait for their forward ones.
void SsorStep::step(std::size_t thread) {
    if (thread < active_) {
        sweep_forward(thread, stages_before_[thread]);
        sweep_backward(thread, stages_before_[thread]);
        stages_before_[thread] += static_cast<std::uint32_t>(stages());
    }
    barrier_.wait();
    set_residual(thread);
}

}  // namespace pinwise::npb::lu
