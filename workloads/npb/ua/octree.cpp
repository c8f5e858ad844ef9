#include "workloads/npb/ua/octree.hpp"

#include <algorithm>

namespace pinwise::npb::ua {

namespace {

/// Where the neighbour of a child lies: in the direction `of_parent` from its parent, there in `octant`.
struct Step {
    std::uint8_t of_parent = 0;
    std::uint8_t octant = 0;
};

constexpr std::array<std::array<Step, directions>, children> steps = [] {
    std::array<std::array<Step, directions>, children> table{};
    for (std::size_t child = 0; child < children; ++child)
        for (std::size_t direction = 0; direction < directions; ++direction) {
            Offset parent{};
            std::size_t octant = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const int place = static_cast<int>(child >> axis & 1U) + offset_of(direction)[axis];
                parent[axis] = place < 0 ? -1 : (place > 1 ? 1 : 0);
                octant |= static_cast<std::size_t>(place & 1) << axis;
            }
            table[child][direction] = {static_cast<std::uint8_t>(direction_of(parent)),
                                       static_cast<std::uint8_t>(octant)};
        }
    return table;
}();

/// A tree of n inner nodes has 7n + 1 leaves.
std::size_t nodes_for(std::size_t most_leaves) {
    return most_leaves + (most_leaves - 1) / (children - 1);
}

}  // namespace

Octree::Octree(std::size_t most_leaves)
    : most_nodes_(nodes_for(most_leaves)),
      most_leaves_(most_leaves),
      nodes_(std::make_unique_for_overwrite<Node[]>(most_nodes_)),
      node_of_leaf_(std::make_unique_for_overwrite<std::int32_t[]>(most_leaves)),
      leaves_below_(std::make_unique_for_overwrite<std::int32_t[]>(most_nodes_)),
      first_leaf_(std::make_unique_for_overwrite<std::int32_t[]>(most_nodes_)) {
    level_begin_.reserve(most_levels + 2);
}

std::uint64_t Octree::bytes_needed(std::size_t most_leaves) {
    return nodes_for(most_leaves) * (sizeof(Node) + 2 * sizeof(std::int32_t)) + most_leaves * sizeof(std::int32_t);
}

void Octree::become_root() {
    Node& root = nodes_[0];
    root = {{0, 0, 0}, 0, none, none, 0, none, {}};
    root.neighbour.fill(none);
    root.neighbour[no_direction] = 0;
    node_of_leaf_[0] = 0;
    level_begin_ = {0, 1};
    leaves_ = 1;
}

void Octree::touch() {
    std::fill_n(nodes_.get(), most_nodes_, Node{});
    std::fill_n(leaves_below_.get(), most_nodes_, 0);
    std::fill_n(first_leaf_.get(), most_nodes_, 0);
    std::fill_n(node_of_leaf_.get(), most_leaves_, 0);
}

workloads::Slice Octree::share_of_level(Worker& worker, std::size_t level) const {
    const auto [begin, end] = worker.slice(level_begin_[level + 1] - level_begin_[level]);
    return {level_begin_[level] + begin, level_begin_[level] + end};
}

bool Octree::become_changed(Worker& worker, const Octree& before, std::span<const Mark> marks) {
    worker.barrier([&] {
        nodes_[0] = before.node(0);
        nodes_[0].origin = 0;
        level_begin_ = {0, 1};
    });
    for (std::size_t level = 0;; ++level) {
        const auto [begin, end] = share_of_level(worker, level);
        const auto has_children = [&](const Node& node) {
            if (node.origin == none) return false;
            const auto origin = static_cast<std::size_t>(node.origin);
            return before.node(node.origin).is_leaf() == (marks[origin] == Mark::change);
        };
        std::uint64_t inner = 0;
        for (std::size_t i = begin; i < end; ++i)
            inner += has_children(nodes_[i]) ? 1U : 0U;
        const Share share = worker.prefix_sums<1>({inner}, {1})[0];
        const std::size_t next_begin = level_begin_[level + 1];
        if (next_begin + children * share.total > most_nodes_) return false;
        std::size_t next = next_begin + children * share.before;
        for (std::size_t i = begin; i < end; ++i) {
            const bool divided = has_children(nodes_[i]);
            nodes_[i].first_child = divided ? static_cast<std::int32_t>(next) : none;
            if (divided) next += children;
        }
        if (share.total == 0) break;
        worker.barrier([&] { level_begin_.push_back(next_begin + children * share.total); });
        make_children(worker, before, level);
        worker.barrier();
    }
    number_leaves(worker);
    return true;
}

void Octree::make_children(Worker& worker, const Octree& before, std::size_t level) {
    const auto [begin, end] = share_of_level(worker, level);
    for (std::size_t i = begin; i < end; ++i) {
        if (nodes_[i].is_leaf()) continue;
        for (std::size_t octant = 0; octant < children; ++octant)
            make_child(i, octant, before);
    }
}

void Octree::make_child(std::size_t parent_index, std::size_t octant, const Octree& before) {
    const Node& parent = nodes_[parent_index];
    const auto index = static_cast<std::size_t>(parent.first_child) + octant;
    Node& child = nodes_[index];
    for (std::size_t axis = 0; axis < 3; ++axis)
        child.cell[axis] = 2 * parent.cell[axis] + static_cast<std::int32_t>(octant >> axis & 1U);
    child.level = parent.level + 1;
    child.parent = static_cast<std::int32_t>(parent_index);
    child.first_child = none;
    child.leaf = none;
    const std::int32_t old_children = before.node(parent.origin).first_child;
    child.origin = old_children == none ? none : old_children + static_cast<std::int32_t>(octant);
    for (std::size_t direction = 0; direction < directions; ++direction) {
        const Step step = steps[octant][direction];
        const std::int32_t near = parent.neighbour[step.of_parent];
        const bool divided = near != none && nodes_[static_cast<std::size_t>(near)].first_child != none;
        child.neighbour[direction] = divided ? nodes_[static_cast<std::size_t>(near)].first_child + step.octant : near;
    }
}

/// Counts the leaves below every node from the finest level up, then gives each subtree its range from the root down.
void Octree::number_leaves(Worker& worker) {
    for (std::size_t level = levels(); level-- > 0;) {
        const auto [begin, end] = share_of_level(worker, level);
        for (std::size_t i = begin; i < end; ++i) {
            const std::int32_t child = nodes_[i].first_child;
            std::int32_t count = child == none ? 1 : 0;
            if (child != none)
                for (std::size_t octant = 0; octant < children; ++octant)
                    count += leaves_below_[static_cast<std::size_t>(child) + octant];
            leaves_below_[i] = count;
        }
        worker.barrier();
    }
    worker.barrier([&] {
        first_leaf_[0] = 0;
        leaves_ = static_cast<std::size_t>(leaves_below_[0]);
    });
    for (std::size_t level = 0; level < levels(); ++level) {
        const auto [begin, end] = share_of_level(worker, level);
        for (std::size_t i = begin; i < end; ++i) {
            Node& node = nodes_[i];
            std::int32_t next = first_leaf_[i];
            node.leaf = node.is_leaf() ? next : none;
            if (node.is_leaf()) {
                node_of_leaf_[static_cast<std::size_t>(next)] = static_cast<std::int32_t>(i);
                continue;
            }
            for (std::size_t octant = 0; octant < children; ++octant) {
                const auto child = static_cast<std::size_t>(node.first_child) + octant;
                first_leaf_[child] = next;
                next += leaves_below_[child];
            }
        }
        worker.barrier();
    }
}

}  // namespace pinwise::npb::ua
