#include "workloads/npb/ua/adaptation.hpp"

#include <atomic>

namespace pinwise::npb::ua {

namespace {

/// Faces and edges: the neighbours that the balance rule is about.
constexpr std::size_t balanced_entities = faces + edges;

/// Several threads may mark one leaf.
void mark(Mark& mark) {
    std::atomic_ref(mark).store(Mark::change, std::memory_order_relaxed);
}

void mark_coarser_neighbours(const Octree& tree, const Node& node, std::span<Mark> marks) {
    for (std::size_t entity = 0; entity < balanced_entities; ++entity) {
        const std::int32_t near = node.neighbour[entity_direction[entity]];
        if (near != none && tree.node(near).level < node.level) mark(marks[static_cast<std::size_t>(near)]);
    }
}

bool has_finer_neighbour(const Octree& tree, const Node& node) {
    for (std::size_t entity = 0; entity < balanced_entities; ++entity) {
        const std::int32_t near = node.neighbour[entity_direction[entity]];
        if (near != none && !tree.node(near).is_leaf()) return true;
    }
    return false;
}

/// Its cube is that of its eight children, so it touches the source if one of them does.
bool can_merge(const Octree& tree, const Node& parent, const Source& source) {
    if (parent.is_leaf() || touches(source, parent)) return false;
    for (std::int32_t child = parent.first_child; child < parent.first_child + std::int32_t{children}; ++child)
        if (!tree.node(child).is_leaf()) return false;
    for (std::int32_t child = parent.first_child; child < parent.first_child + std::int32_t{children}; ++child)
        if (has_finer_neighbour(tree, tree.node(child))) return false;
    return true;
}

}  // namespace

bool touches(const Source& source, const Node& node) {
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double low = node.size() * node.cell[axis];
        const double high = node.size() * (node.cell[axis] + 1);
        const double centre = source.centre[axis];
        const double distance = low < centre ? (centre > high ? centre - high : 0.0) : low - centre;
        squared += distance * distance;
    }
    return squared < source.radius * source.radius;
}

std::uint64_t mark_refinement(Worker& worker, const Octree& tree, const Source& source, int finest,
                              std::span<Mark> marks) {
    std::uint64_t touching = 0;
    const auto own = worker.slice(tree.size());
    for (std::size_t i = own.begin; i < own.end; ++i) {
        const Node& node = tree.nodes()[i];
        const bool divide = node.is_leaf() && node.level < finest && touches(source, node);
        marks[i] = divide ? Mark::change : Mark::keep;
        touching += divide ? 1U : 0U;
    }
    if (worker.sum(touching) == 0) return 0;
    for (std::size_t level = tree.levels(); level-- > 1;) {
        const auto [begin, end] = tree.level(level);
        const auto part = worker.slice(end - begin);
        for (std::size_t i = begin + part.begin; i < begin + part.end; ++i)
            if (marks[i] == Mark::change) mark_coarser_neighbours(tree, tree.nodes()[i], marks);
        worker.barrier();
    }
    std::uint64_t marked = 0;
    for (std::size_t i = own.begin; i < own.end; ++i)
        marked += marks[i] == Mark::change ? 1U : 0U;
    return worker.sum(marked);
}

std::uint64_t mark_coarsening(Worker& worker, const Octree& tree, const Source& source, std::span<Mark> marks) {
    std::uint64_t marked = 0;
    const auto own = worker.slice(tree.size());
    for (std::size_t i = own.begin; i < own.end; ++i) {
        const bool merge = can_merge(tree, tree.nodes()[i], source);
        marks[i] = merge ? Mark::change : Mark::keep;
        marked += merge ? 1U : 0U;
    }
    return worker.sum(marked);
}

}  // namespace pinwise::npb::ua
