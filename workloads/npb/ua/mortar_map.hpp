#pragma once
/// Which mortar points belong to which element, and what every point is the sum of.
///
/// Mortar points are the nodes of the finest skeleton: one at every corner of a leaf, three inside every edge that no
/// leaf around it divides, nine inside every face whose other side is not finer. They are numbered by the first element
/// that has them, block by block: first the faces, then the edges, then the corners that a block's elements number.
///
/// An element's edge or face that looks at finer elements is a slave: its nodes are projections of a patch of points. A
/// slave's values have places of their own behind the points in a mortar vector; so for an element all its entities
/// are read alike. The way back needs no atomics: elements and slaves' patches leave what they give in the pool, and
/// every point adds up its own contributions, always in the same order.

#include <cstdint>
#include <vector>

#include "workloads/npb/ua/octree.hpp"
#include "workloads/npb/ua/storage.hpp"

namespace pinwise::npb::ua {

/// Points that one block numbers, and where the first of them is.
struct BlockPoints {
    std::uint32_t first = 0;
    std::uint32_t faces = 0;
    std::uint32_t edges = 0;
    std::uint32_t corners = 0;

    [[nodiscard]] std::uint32_t count() const {
        return faces * std::uint32_t{face_points} + edges * std::uint32_t{edge_points} + corners;
    }
};

/// A corner's share in the mean that is the first guess at its point.
struct WeightedCorner {
    std::uint32_t from = 0;
    double weight = 0;
};

/// What one thread works on until the mesh changes. Sums are lists of places in the pool, in the order of the points; a
/// face's nine values and an edge's three are lanes apart from one another.
struct WorkerPlan {
    workloads::Slice blocks;
    workloads::Slice face_groups;
    workloads::Slice edge_groups;
    std::vector<BlockPoints> points;                      ///< of the blocks
    std::vector<std::array<std::uint32_t, 2>> face_sums;  ///< own element, then the other side or zeros
    std::vector<std::uint32_t> edge_sums;    ///< for each edge: how many are elements, how many in all, the places
    std::vector<std::uint32_t> corner_sums;  ///< for each corner: how many, the places
    std::vector<std::uint32_t> corner_mean_counts;
    std::vector<WeightedCorner> corner_means;
};

/// Sizes of the present mesh.
struct MeshSize {
    std::size_t elements = 0;
    std::size_t blocks = 0;
    std::size_t mortar_points = 0;
    std::size_t face_slaves = 0;  ///< with those that only fill a group
    std::size_t edge_slaves = 0;

    [[nodiscard]] std::size_t first_face_slave() const { return mortar_zeros + mortar_points; }
    [[nodiscard]] std::size_t first_edge_slave() const { return first_face_slave() + face_slaves * face_points; }
    [[nodiscard]] std::size_t mortar_values() const { return first_edge_slave() + edge_slaves * edge_points; }
    [[nodiscard]] std::size_t face_patches() const { return blocks * block_values; }
    [[nodiscard]] std::size_t edge_patches() const { return face_patches() + face_slaves * patch_points; }
    [[nodiscard]] std::size_t pool_zeros() const { return edge_patches() + edge_slaves * split_line_nodes; }
};

/// What decides an element's constants besides its level.
struct Physics {
    double dt = 0;
    double viscosity = 0.005;
    double velocity = 3;
};

class MortarMap {
public:
    MortarMap(const Capacity& capacity, const Arrays& arrays, const Physics& physics)
        : capacity_(capacity), arrays_(arrays), physics_(physics), plans_(capacity.threads) {}

    /// Builds all tables for a mesh. Called by all workers; false if it has more elements or points than there is room
    /// for.
    bool rebuild(Worker& worker, const Octree& tree);

    [[nodiscard]] const MeshSize& size() const { return size_; }
    [[nodiscard]] const WorkerPlan& plan(const Worker& worker) const { return plans_[worker.thread()]; }

private:
    void classify(const Octree& tree, const WorkerPlan& plan);
    void number_own(WorkerPlan& plan, std::uint64_t first_point, std::size_t first_face, std::size_t first_edge);
    void look_up_others(const WorkerPlan& plan);
    void set_constants(const Octree& tree, const WorkerPlan& plan);

    Capacity capacity_;
    Arrays arrays_;
    Physics physics_;
    MeshSize size_;
    std::vector<WorkerPlan> plans_;
};

}  // namespace pinwise::npb::ua
