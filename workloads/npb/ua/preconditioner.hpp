#pragma once
/// The diagonal of the assembled operator, exactly: what every mortar point and inner node has of it.
///
/// A point's share from one element is vᵀHv, where v is what the element sees of a unit value at the point: one node,
/// or the pattern that the projection onto its slaves makes. There are few patterns, and their energies depend on the
/// element's level only through two factors; so they are tabulated once.

#include <array>

#include "workloads/npb/ua/mortar_map.hpp"

namespace pinwise::npb::ua {

/// vᵀAv and vᵀBv of a pattern in the reference element: H = stiffness·A + mass_over_dt·B.
struct Energy {
    double stiffness = 0;
    double mass = 0;
};

class Preconditioner {
public:
    Preconditioner();

    /// Leaves each element's and patch's shares in the pool and the inner nodes' inverse diagonal in its place. Points
    /// on the surface of the cube get infinity, whose inverse is the 0 that keeps them still.
    void give_shares(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size) const;

private:
    void give_elements(const Arrays& arrays, std::size_t block, const MeshSize& size) const;
    void give_face_patches(const Arrays& arrays, std::size_t group, const MeshSize& size) const;
    void give_edge_patches(const Arrays& arrays, std::size_t group, const MeshSize& size) const;
    [[nodiscard]] const Energy& energy_at(std::uint32_t slaves, std::size_t entity, std::size_t slot) const;

    /// By node.
    std::array<Energy, element_nodes> nodes_;
    /// Points strictly inside the grid of a slave face's patch, by position along both axes.
    std::array<std::array<Energy, split_line_nodes>, split_line_nodes> face_points_;
    /// Points strictly inside a slave edge's patch, by the number of slave faces beside the edge and position.
    std::array<std::array<Energy, split_line_nodes>, 3> edge_points_;
    /// Corners, by which of the three faces (bit = normal axis) and of the three edges (bit = axis along) are slaves.
    std::array<std::array<Energy, 8>, 8> corners_;
};

}  // namespace pinwise::npb::ua
