#pragma once
/// How busy each node is, and which one is busy enough that threads may leave it. Pure.
///
/// The comparison is that of Linux's first node-aware balancer (2.5.59, January 2003, as posted by M. J. Bligh and E.
/// Focht): a node's load decays by integer halving and gains what is runnable now, and a node attracts threads from the
/// busiest one when 100 x its load exceeds cross_node_bal x the own load. Loads are compared per CPU here, which is the
/// same for nodes of one size.

#include <optional>
#include <span>
#include <vector>

namespace pinwise {

/// Percent: the constant that was merged (5 : 4).
inline constexpr int default_cross_node_bal = 125;
/// Below 100 threads would move to busier nodes; above 1000 nothing would ever move.
inline constexpr int least_cross_node_bal = 100;
inline constexpr int most_cross_node_bal = 1000;

/// Nodes are numbered 0, 1, ... in the order the caller lists them.
class NodeLoads {
public:
    /// CPUs that threads may use of each node, at least one.
    explicit NodeLoads(std::vector<int> cpus);

    /// Runnable threads of each node now: load = load / 2 + running, so a steady load becomes about twice `running`.
    void sample(std::span<const int> running);
    /// One of the runnable threads goes from one node to another; what was sampled before stays as it was.
    void move_one(int from, int to);

    [[nodiscard]] int count() const { return static_cast<int>(cpus_.size()); }
    [[nodiscard]] int cpus(int node) const { return cpus_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] int running(int node) const { return running_[static_cast<std::size_t>(node)]; }
    [[nodiscard]] int load(int node) const { return load_[static_cast<std::size_t>(node)]; }

    /// The node that `here` may take threads from: the one with the highest load above cross_node_bal percent of the
    /// load of `here`; of equals the first.
    [[nodiscard]] std::optional<int> busiest(int here, int cross_node_bal) const;

    /// More runnable threads than CPUs. While there are not, nothing is gained by leaving.
    [[nodiscard]] bool is_crowded(int node) const { return running(node) > cpus(node); }
    /// Fewer runnable threads per CPU.
    [[nodiscard]] bool is_less_crowded(int node, int other) const;
    /// One thread less in `from` and one more in `to` leaves `to` no busier than `from`.
    [[nodiscard]] bool evens_out(int from, int to) const;
    /// With one more thread at `home`, taken from `away`, no thread would have a reason to leave `home`.
    [[nodiscard]] bool has_room_at_home(int home, int away, int cross_node_bal) const;

private:
    std::vector<int> cpus_;
    std::vector<int> running_;
    std::vector<int> load_;
};

}  // namespace pinwise
