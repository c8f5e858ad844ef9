#include "placer/policy/node_loads.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pinwise {

namespace {

/// What one steadily runnable thread adds to a load.
constexpr int load_of_one_thread = 2;

/// Load and CPUs of a node; products of them are compared, so nothing is rounded.
struct Weighed {
    std::int64_t load = 0;
    std::int64_t cpus = 1;
};

bool is_busier(const Weighed& a, const Weighed& b) {
    return a.load * b.cpus > b.load * a.cpus;
}

bool exceeds(const Weighed& busy, const Weighed& own, int percent) {
    return 100 * busy.load * own.cpus > percent * own.load * busy.cpus;
}

}  // namespace

NodeLoads::NodeLoads(std::vector<int> cpus)
    : cpus_(std::move(cpus)), running_(cpus_.size(), 0), load_(cpus_.size(), 0) {}

void NodeLoads::sample(std::span<const int> running) {
    for (std::size_t node = 0; node < cpus_.size(); ++node) {
        running_[node] = running[node];
        load_[node] = load_[node] / 2 + running[node];
    }
}

void NodeLoads::move_one(int from, int to) {
    --running_[static_cast<std::size_t>(from)];
    ++running_[static_cast<std::size_t>(to)];
}

std::optional<int> NodeLoads::busiest(int here, int cross_node_bal) const {
    const Weighed own{load(here), cpus(here)};
    Weighed best = own;
    std::optional<int> found;
    for (int node = 0; node < count(); ++node) {
        const Weighed other{load(node), cpus(node)};
        if (node == here || !is_busier(other, best) || !exceeds(other, own, cross_node_bal)) continue;
        best = other;
        found = node;
    }
    return found;
}

bool NodeLoads::is_less_crowded(int node, int other) const {
    return is_busier({running(other), cpus(other)}, {running(node), cpus(node)});
}

bool NodeLoads::evens_out(int from, int to) const {
    return !is_busier({running(to) + 1, cpus(to)}, {running(from) - 1, cpus(from)});
}

bool NodeLoads::has_room_at_home(int home, int away, int cross_node_bal) const {
    // The load lags behind: what runs now counts at once, what has gone only by and by.
    const int with_it = std::max(load(home), load_of_one_thread * running(home)) + load_of_one_thread;
    if (with_it <= load_of_one_thread * cpus(home)) return true;
    for (int node = 0; node < count(); ++node) {
        if (node == home) continue;
        const int without_it = std::max(0, load(node) - (node == away ? load_of_one_thread : 0));
        if (exceeds({with_it, cpus(home)}, {without_it, cpus(node)}, cross_node_bal)) return false;
    }
    return true;
}

}  // namespace pinwise
