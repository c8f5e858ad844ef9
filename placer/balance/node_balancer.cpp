#include "placer/balance/node_balancer.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace pinwise {

namespace {

class Round {
public:
    Round(NodeLoads& loads, std::span<const BalancedThread> threads, int cross_node_bal)
        : loads_(loads), threads_(threads), cross_node_bal_(cross_node_bal), moved_(threads.size(), false) {}

    std::vector<NodeMove> decide() {
        for (std::size_t i = 0; i < threads_.size(); ++i)
            if (wants_home(i)) exchange(i);
        for (std::size_t i = 0; i < threads_.size(); ++i)
            if (wants_home(i) && loads_.has_room_at_home(threads_[i].home, threads_[i].node, cross_node_bal_))
                move(i, threads_[i].home, MoveReason::home);
        for (int node = 0; node < loads_.count(); ++node)
            take_from_busiest(node);
        return std::move(moves_);
    }

private:
    [[nodiscard]] bool wants_home(std::size_t i) const {
        return !moved_[i] && threads_[i].settled && threads_[i].node != threads_[i].home;
    }

    /// Breadth first from the thread's home along what others would vacate, until somebody vacates the thread's node.
    void exchange(std::size_t first) {
        constexpr std::size_t nobody = static_cast<std::size_t>(-1);
        std::vector<std::size_t> came_with(static_cast<std::size_t>(loads_.count()), nobody);
        std::vector<int> reached{threads_[first].home};
        for (std::size_t next = 0; next < reached.size(); ++next) {
            for (std::size_t i = 0; i < threads_.size(); ++i) {
                const BalancedThread& other = threads_[i];
                if (i == first || !wants_home(i) || other.node != reached[next]) continue;
                const auto home = static_cast<std::size_t>(other.home);
                if (came_with[home] != nobody || other.home == threads_[first].home) continue;
                came_with[home] = i;
                reached.push_back(other.home);
            }
        }
        int node = threads_[first].node;
        if (came_with[static_cast<std::size_t>(node)] == nobody) return;
        while (node != threads_[first].home) {
            const std::size_t other = came_with[static_cast<std::size_t>(node)];
            node = threads_[other].node;
            move(other, threads_[other].home, MoveReason::exchange);
        }
        move(first, threads_[first].home, MoveReason::exchange);
    }

    void take_from_busiest(int here) {
        const auto from = loads_.busiest(here, cross_node_bal_);
        if (!from) return;
        while (loads_.is_crowded(*from) && loads_.evens_out(*from, here)) {
            const auto chosen = first_to_leave(*from, here);
            if (!chosen) return;
            move(*chosen, here, MoveReason::busiest);
        }
    }

    /// Those at home here first, then other foreigners, then those at home there; of equals the youngest.
    [[nodiscard]] std::optional<std::size_t> first_to_leave(int from, int here) const {
        std::optional<std::size_t> best;
        const auto rank = [&](std::size_t i) {
            const BalancedThread& thread = threads_[i];
            return std::pair(thread.home == here ? 0 : thread.home != from ? 1 : 2, -thread.thread);
        };
        for (std::size_t i = 0; i < threads_.size(); ++i) {
            const BalancedThread& thread = threads_[i];
            const bool can = !moved_[i] && thread.node == from && thread.runnable && thread.settled;
            if (can && thread.nodes.test(here) && (!best || rank(i) < rank(*best))) best = i;
        }
        return best;
    }

    void move(std::size_t i, int to, MoveReason reason) {
        const int from = threads_[i].node;
        moves_.push_back({.position = i,
                          .from = from,
                          .to = to,
                          .reason = reason,
                          .from_state = state_of(from),
                          .to_state = state_of(to)});
        moved_[i] = true;
        if (threads_[i].runnable) loads_.move_one(from, to);
    }

    [[nodiscard]] NodeState state_of(int node) const {
        return {.load = loads_.load(node), .running = loads_.running(node), .cpus = loads_.cpus(node)};
    }

    NodeLoads& loads_;
    std::span<const BalancedThread> threads_;
    int cross_node_bal_;
    std::vector<bool> moved_;
    std::vector<NodeMove> moves_;
};

}  // namespace

std::string_view to_string(MoveReason reason) {
    constexpr std::array<std::string_view, 3> names{"busiest", "home", "exchange"};
    return names[static_cast<std::size_t>(reason)];
}

std::vector<NodeMove> decide_moves(NodeLoads& loads, std::span<const BalancedThread> threads, int cross_node_bal) {
    return Round(loads, threads, cross_node_bal).decide();
}

}  // namespace pinwise
