#pragma once
/// Lists what every mortar point is the sum of, and what every slave is a projection of, once all points have numbers.

#include <array>

#include "workloads/npb/ua/mortar_map.hpp"
#include "workloads/npb/ua/neighbourhood.hpp"

namespace pinwise::npb::ua {

class SumBuilder {
public:
    SumBuilder(const Octree& tree, const Arrays& arrays, const MeshSize& size)
        : tree_(tree), arrays_(arrays), size_(size) {}

    /// Fills the plan's lists for the points that its blocks number.
    void build_sums(WorkerPlan& plan) const;

    /// Fills the slave groups of the plan's elements.
    void build_slave_groups(const WorkerPlan& plan) const;

private:
    /// Places in the pool, elements' own first.
    struct Places {
        std::array<std::uint32_t, 64> places{};
        std::uint32_t elements = 0;
        std::uint32_t count = 0;

        void add(std::uint32_t place) { places[count++] = place; }
    };

    void add_face(WorkerPlan& plan, const Node& node, std::size_t entity) const;
    void add_edge(WorkerPlan& plan, const Node& node, std::size_t entity) const;
    void add_corner(WorkerPlan& plan, const Node& node, std::size_t entity) const;
    void add_patches(const Node& leaf, const Parts& parts, Places& places) const;
    [[nodiscard]] bool is_slave(std::size_t element, std::size_t entity) const;
    [[nodiscard]] std::int32_t index_of(std::size_t element, std::size_t entity) const;
    [[nodiscard]] double corner_weight(std::size_t element, std::size_t corner) const;
    [[nodiscard]] std::int32_t point_of_patch(const Node& node, std::size_t entity, const Parts& parts) const;
    void add_face_slave(std::size_t slot, const Node& node, std::size_t entity) const;
    void add_edge_slave(std::size_t slot, const Node& node, std::size_t entity) const;

    const Octree& tree_;
    const Arrays& arrays_;
    const MeshSize& size_;
};

}  // namespace pinwise::npb::ua
