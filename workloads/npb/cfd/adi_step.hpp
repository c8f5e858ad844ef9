#pragma once
/// A time step of BT or SP on a team.

#include "workloads/npb/cfd/adi_method.hpp"
#include "workloads/npb/cfd/time_steps.hpp"

namespace pinwise::npb::cfd {

/// Planes k belong to threads for the right-hand side and the lines along x and y, rows j for the lines along z: there
/// every thread uses every other's planes. Two barriers a step.
class AdiStep final : public TimeStep {
public:
    AdiStep(Workspace& workspace, const AdiMethod& method);

    void touch(std::size_t thread) override;
    void begin(std::size_t /*thread*/) override {}
    void step(std::size_t thread) override;
    void end(std::size_t thread) override;

    /// Bytes that touch() allocates.
    static std::uint64_t thread_bytes(const AdiMethod& method, const Grid& grid) {
        return method.line_doubles(grid) * sizeof(double);
    }

private:
    Workspace& workspace_;
    AdiMethod method_;
    TeamBarrier barrier_;
    std::vector<ThreadMemory> line_memory_;
};

}  // namespace pinwise::npb::cfd
