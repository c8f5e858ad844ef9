#pragma once
/// The run that BT, SP and LU share: setup, NPB's untimed step, the timed steps, norms and checks. What differs is how
/// a time step is made.

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/npb/cfd/model.hpp"
#include "workloads/npb/cfd/workspace.hpp"
#include "workloads/npb/common/kernel.hpp"
#include "workloads/npb/common/team_barrier.hpp"

namespace pinwise::npb::cfd {

/// Everything a time step works on.
struct Workspace {
    Fields fields;
    double dt = 0;
    std::size_t threads = 1;
    std::uint32_t spin_rounds = 0;                ///< as TeamBarrier takes it
    std::vector<ThreadMemory> residual_memory{};  ///< by thread, for residual()

    [[nodiscard]] const Grid& grid() const { return fields.grid(); }
    /// The interior planes that belong to a thread.
    [[nodiscard]] Slab planes_of(std::size_t thread) const { return slab_of(grid(), thread, threads); }
};

/// How a code advances the states of a workspace. Every member is called by each thread of the team with its number.
class TimeStep {
public:
    TimeStep() = default;
    TimeStep(const TimeStep&) = delete;
    TimeStep& operator=(const TimeStep&) = delete;
    virtual ~TimeStep() = default;

    /// Allocates and touches what belongs to the thread. Not concurrent with master touch.
    virtual void touch(std::size_t thread) = 0;
    /// Prepares the first step from new states, which all threads have written.
    virtual void begin(std::size_t thread) = 0;
    /// One step; when it returns the thread may be ahead of others only in what does not concern them.
    virtual void step(std::size_t thread) = 0;
    /// After the last step: leaves R(U) − forcing of the thread's planes in rhs.
    virtual void end(std::size_t thread) = 0;
};

/// One class of one code: the problem and its official results.
struct ProblemRow {
    std::size_t points;
    int iterations;
    double dt;
    State residual;
    State error;
};

/// What makes one of the three codes.
struct Code {
    std::span<const ProblemRow> rows;  ///< by class, S first
    double (*operations_a_step)(double points);
    std::unique_ptr<TimeStep> (*make_step)(Workspace& workspace);
    /// Bytes that TimeStep::touch allocates for each of the threads that have planes, of which there are `active`.
    std::uint64_t (*thread_bytes)(const Grid& grid, std::size_t active);
    bool norm_is_timed;  ///< the residual norm belongs to the timed region
    /// Checks beside the norms; may be null.
    std::vector<Check> (*further_checks)(ProblemClass problem_class, const Fields& fields);
};

inline constexpr double verification_tolerance = 1e-8;

std::uint64_t bytes_needed(const Code& code, ProblemClass problem_class, int threads);

workloads::Expected<KernelRun> run_code(const Code& code, const RunParameters& parameters, workloads::ThreadTeam& team);

}  // namespace pinwise::npb::cfd
