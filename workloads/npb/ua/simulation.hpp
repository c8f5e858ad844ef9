#pragma once
/// UA: a ball of heat moves through the unit cube; its temperature is convected and diffused on a mesh that is refined
/// around it. All functions are called by all workers of the crew, in the same order.

#include <array>
#include <cstdint>
#include <memory>

#include "workloads/npb/ua/adaptation.hpp"
#include "workloads/npb/ua/mortar_map.hpp"
#include "workloads/npb/ua/preconditioner.hpp"
#include "workloads/npb/ua/ua_reference.hpp"

namespace pinwise::npb::ua {

/// What one adaptation did to the mesh.
struct MeshChange {
    std::uint64_t refined = 0;  ///< leaves that were divided
    std::uint64_t merged = 0;   ///< leaves that were merged away: eight a family
};

class Simulation {
public:
    /// `arrays` are zero, and nobody has touched them or the main thread has.
    Simulation(const Problem& problem, const Capacity& capacity, const Arrays& arrays);

    /// Fits the mesh to the source where it is now, and everything that depends on the mesh. False if the mesh outgrows
    /// the capacity, which is then no longer usable.
    bool adapt(Worker& worker);

    /// One time step.
    void step(Worker& worker);

    /// T = 0 at time 0, on the mesh as it is.
    void reset(Worker& worker);

    /// Touches what a larger mesh may need, each thread its share.
    void touch_reserve(Worker& worker);

    /// Writes to all of the trees' memory: for the main thread alone, before anything else.
    void touch_trees();

    /// ∫T over the cube.
    double temperature_integral(Worker& worker);

    [[nodiscard]] std::size_t elements() const { return map_.size().elements; }
    [[nodiscard]] const MeshSize& mesh_size() const { return map_.size(); }
    [[nodiscard]] const MeshChange& last_change() const { return change_; }

    /// What a thread works on now.
    [[nodiscard]] const WorkerPlan& plan(const Worker& worker) const { return map_.plan(worker); }

    static std::uint64_t bytes_needed(const Capacity& capacity);

private:
    [[nodiscard]] Source source_at(double time) const;
    [[nodiscard]] const Octree& tree() const { return *trees_[0]; }
    bool change_mesh(Worker& worker);
    void solve(Worker& worker, const WorkerPlan& plan);
    [[nodiscard]] std::span<const double> block_sums() const;

    Problem problem_;
    Capacity capacity_;
    Arrays arrays_;
    MortarMap map_;
    Preconditioner preconditioner_;
    std::array<std::unique_ptr<Octree>, 2> trees_;  ///< the mesh, and the one it becomes
    std::unique_ptr<Mark[]> marks_;
    MeshChange change_;
    double time_ = 0;
};

}  // namespace pinwise::npb::ua
