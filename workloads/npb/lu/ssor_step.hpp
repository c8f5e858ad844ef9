#pragma once
/// A time step of LU on a team: symmetric successive over-relaxation (SSOR), a forward and a backward sweep, then the
/// new residual.

#include "workloads/npb/cfd/time_steps.hpp"
#include "workloads/npb/lu/pipeline.hpp"
#include "workloads/npb/lu/triangular_sweeps.hpp"

namespace pinwise::npb::lu {

/// The planes k belong to threads, in everything. Threads follow one another through the stages of a sweep: thread p
/// does a stage of its planes when thread p − 1 (forward) or p + 1 (backward) has done the same one. One barrier a
/// step.
class SsorStep final : public cfd::TimeStep {
public:
    explicit SsorStep(cfd::Workspace& workspace);

    void touch(std::size_t thread) override;
    void begin(std::size_t thread) override;
    void step(std::size_t thread) override;
    void end(std::size_t /*thread*/) override {}

    /// Bytes that touch() allocates for each of `active` threads, at most.
    static std::uint64_t thread_bytes(const cfd::Grid& grid, std::size_t active);

private:
    struct Own {
        cfd::ThreadMemory handed_up;
        cfd::ThreadMemory edges;
        cfd::ThreadMemory carried;
    };

    [[nodiscard]] std::size_t stages() const { return cut_.blocks * stages_a_block_; }
    [[nodiscard]] Stage stage_at(std::size_t number) const;
    [[nodiscard]] Sweep sweep_of(std::size_t thread);
    void sweep_forward(std::size_t thread, std::uint32_t stages_before);
    void sweep_backward(std::size_t thread, std::uint32_t stages_before);
    void set_residual(std::size_t thread);

    cfd::Workspace& workspace_;
    std::size_t active_;
    PlaneCut cut_;
    std::size_t groups_a_stage_;
    std::size_t stages_a_block_;
    Progress forward_;
    Progress backward_;
    TeamBarrier barrier_;
    std::vector<Own> own_;
    std::vector<std::uint32_t> stages_before_;  ///< by thread; all are equal at the barrier
};

}  // namespace pinwise::npb::lu
