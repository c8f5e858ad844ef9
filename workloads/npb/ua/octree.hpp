#pragma once
/// The mesh: an octree over the unit cube whose leaves are the elements, with every node's 26 neighbours at hand.
///
/// Nodes are stored level by level, within a level in Morton order (x fastest), the eight children of a node together.
/// Leaves are numbered along the Morton curve. A neighbour is the node of the same level at that direction, or, where
/// there is none, the coarser leaf that covers its place; so it costs one look to know it, without any search.
///
/// Leaves that share a face or an edge differ by at most one level; adaptation.hpp keeps it so.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "workloads/npb/ua/element_layout.hpp"
#include "workloads/npb/ua/worker.hpp"

namespace pinwise::npb::ua {

inline constexpr std::int32_t none = -1;
inline constexpr int most_levels = 16;
inline constexpr std::size_t children = 8;

/// Plain, not initialised: whoever writes a node first decides where its page is.
struct Node {
    std::array<std::int32_t, 3> cell;  ///< position in units of its own size
    std::int32_t level;
    std::int32_t parent;       ///< none for the root
    std::int32_t first_child;  ///< none for a leaf
    std::int32_t leaf;         ///< its number; none for an inner node
    std::int32_t origin;       ///< the node it was in the tree before; none if it was made by the last change
    std::array<std::int32_t, directions> neighbour;  ///< by direction; none outside the cube

    [[nodiscard]] bool is_leaf() const { return first_child == none; }

    /// Edge of its cube.
    [[nodiscard]] double size() const { return 1.0 / static_cast<double>(1 << level); }
};

/// What to do with a node: divide a leaf, or make a node whose children are leaves one itself.
enum class Mark : std::uint8_t { keep, change };

class Octree {
public:
    /// Room for trees of at most `most_leaves` leaves; empty until become_root().
    explicit Octree(std::size_t most_leaves);

    [[nodiscard]] std::size_t size() const { return level_begin_.back(); }
    [[nodiscard]] std::size_t leaves() const { return leaves_; }
    [[nodiscard]] std::size_t levels() const { return level_begin_.size() - 1; }
    [[nodiscard]] const Node& node(std::int32_t index) const { return nodes_[static_cast<std::size_t>(index)]; }
    [[nodiscard]] std::span<const Node> nodes() const { return {nodes_.get(), size()}; }

    /// Indices of a level's first node and of the one past its last.
    [[nodiscard]] workloads::Slice level(std::size_t level) const {
        return {level_begin_[level], level_begin_[level + 1]};
    }

    /// Node of a leaf's number.
    [[nodiscard]] const Node& leaf(std::size_t number) const { return node(node_of_leaf_[number]); }
    [[nodiscard]] std::int32_t node_of_leaf(std::size_t number) const { return node_of_leaf_[number]; }

    /// Becomes one leaf, the whole cube.
    void become_root();

    /// Writes to all of its memory, which is nothing then.
    void touch();

    /// Becomes `before` with the marked changes made, all at once. Called by all workers; false, with nothing useful in
    /// this tree, if it would have too many leaves.
    bool become_changed(Worker& worker, const Octree& before, std::span<const Mark> marks);

    static std::uint64_t bytes_needed(std::size_t most_leaves);

private:
    workloads::Slice share_of_level(Worker& worker, std::size_t level) const;
    void make_children(Worker& worker, const Octree& before, std::size_t level);
    void make_child(std::size_t parent, std::size_t octant, const Octree& before);
    void number_leaves(Worker& worker);

    std::size_t most_nodes_;
    std::size_t most_leaves_;
    std::unique_ptr<Node[]> nodes_;
    std::unique_ptr<std::int32_t[]> node_of_leaf_;
    std::unique_ptr<std::int32_t[]> leaves_below_;
    std::unique_ptr<std::int32_t[]> first_leaf_;
    std::vector<std::size_t> level_begin_{0};
    std::size_t leaves_ = 0;
};

}  // namespace pinwise::npb::ua
