#pragma once
/// All large arrays of a run, in one mapping that nobody has touched yet.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/npb/ua/element_layout.hpp"

namespace pinwise::npb::ua {

/// Sizes that no mesh of a class exceeds.
struct Capacity {
    std::size_t elements = 0;
    std::size_t mortar_points = 0;
    std::size_t threads = 1;

    [[nodiscard]] std::size_t blocks() const;

    /// Faces and edges that look at finer elements ("slaves"), with each thread's rounded up to whole groups. Four fine
    /// faces, of which an element has at most three, are needed for one coarse face; and a slave edge belongs to an
    /// edge of an inner node of the octree, of which there are less than elements/7, with at most three coarse elements
    /// around it.
    [[nodiscard]] std::size_t slave_faces() const;
    [[nodiscard]] std::size_t slave_edges() const;

    /// Values of a mortar vector: zeros for elements that only fill a block, the points, then the slaves' values.
    [[nodiscard]] std::size_t mortar_values() const;

    /// Values of the pool: of all elements, of the slaves' patches, zeros.
    [[nodiscard]] std::size_t pool_values() const;
};

/// Values at the beginning of a mortar vector that are always 0.
inline constexpr std::size_t mortar_zeros = 16;

/// What is around a group of eight slave faces or edges, lane by lane.
template <std::size_t parts>
struct SlaveGroup {
    std::array<std::array<std::int32_t, lanes>, parts> source;  ///< first mortar point of every part of the patch
    std::array<std::uint32_t, lanes> values;                    ///< where in the pool the element's values begin
    std::array<std::int32_t, lanes> element;                    ///< none where the group is only filled
    std::array<std::int32_t, lanes> slave_faces_beside;         ///< of an edge: how many of its two faces are slaves
};

using FaceGroup = SlaveGroup<patch_parts>;
using EdgeGroup = SlaveGroup<line_parts>;

/// Constants of a block's elements, lane by lane; all 0 for elements that only fill a block.
struct alignas(64) BlockConstants {
    std::array<double, lanes> stiffness;     ///< ν·h/2
    std::array<double, lanes> mass_over_dt;  ///< (h/2)^3/dt
    std::array<double, lanes> convection;    ///< 3·(2/h)
    std::array<double, lanes> size;          ///< h
    std::array<std::array<double, lanes>, 3> corner;
    std::array<std::uint32_t, lanes> outside;  ///< bit i: boundary entity i lies on the surface of the cube
};

/// Mortar points of all the entities around a block's elements: the first point of each, lane by lane.
using BlockIndex = std::array<std::array<std::int32_t, lanes>, boundary_entities>;

/// Views of the arrays.
struct Arrays {
    std::span<double> temperature;  ///< [block][slot][lane]
    std::span<double> pool;         ///< the same shape: what elements give to mortar points; then the slaves' patches
    std::span<double> inner_residual;   ///< [block][inner slot][lane]
    std::span<double> inner_direction;  ///< of conjugate gradients
    std::span<double> inner_inverse_diagonal;
    std::span<double> mortar;  ///< the solution at the mortar points
    std::span<double> residual;
    std::span<double> direction;
    std::span<double> inverse_diagonal;  ///< 0 on the surface of the cube, so nothing ever happens there
    std::span<double> block_sums;        ///< parts of a sum over everything, one a block
    std::span<BlockConstants> constants;
    std::span<BlockIndex> index;
    std::span<std::uint32_t> slaves;  ///< of each element: bit i: boundary entity i looks at finer elements
    std::span<std::uint32_t> owned;   ///< bit i: the points of boundary entity i are numbered by this element
    std::span<FaceGroup> face_groups;
    std::span<EdgeGroup> edge_groups;
};

class Storage {
public:
    static workloads::Expected<Storage> allocate(const Capacity& capacity, workloads::ThpAdvice thp);
    static std::uint64_t bytes_needed(const Capacity& capacity);

    [[nodiscard]] const Arrays& arrays() const { return arrays_; }
    [[nodiscard]] const workloads::HugePageMapping& mapping() const { return mapping_; }

private:
    Storage(workloads::HugePageMapping mapping, const Arrays& arrays) : mapping_(std::move(mapping)), arrays_(arrays) {}

    workloads::HugePageMapping mapping_;
    Arrays arrays_;
};

}  // namespace pinwise::npb::ua
