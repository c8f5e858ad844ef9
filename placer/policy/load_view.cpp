#include "placer/policy/load_view.hpp"

#include <algorithm>

namespace pinwise {

namespace {

constexpr std::int64_t full_capacity = 1024;

/// Utilisation of a CPU with `running` threads.
std::int64_t util_of(LoadModel model, int running) {
    if (model == LoadModel::saturated) return running > 0 ? full_capacity : 0;
    // Each new thread starts at half of what the CPU has left: 512, 768, 896, ...
    constexpr int halvings_to_one = 10;
    return full_capacity - (full_capacity >> std::clamp(running, 0, halvings_to_one));
}

std::int64_t runnable_of(LoadModel model, int running) {
    return (model == LoadModel::saturated ? full_capacity : full_capacity / 2) * running;
}

void add_cpu(GroupLoad& sum, LoadModel model, int running) {
    sum.idle_cpus += running == 0 ? 1 : 0;
    sum.running += running;
    sum.util += util_of(model, running);
    sum.runnable += runnable_of(model, running);
    sum.load += full_capacity * running;
}

}  // namespace

LoadView::LoadView(const DomainTree& tree, LoadModel model)
    : tree_(&tree),
      model_(model),
      nr_running_(static_cast<std::size_t>(tree.cpu_limit())),
      groups_(tree.groups().size()) {
    reset();
}

void LoadView::reset() {
    for (int& running : nr_running_)
        running = 0;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        groups_[group] = GroupLoad{};
        groups_[group].idle_cpus = tree_->group(static_cast<int>(group)).weight;
    }
}

void LoadView::add(int cpu) {
    count(cpu, 1);
}

void LoadView::remove(int cpu) {
    count(cpu, -1);
}

void LoadView::count(int cpu, int change) {
    int& running = nr_running_[static_cast<std::size_t>(cpu)];
    const int before = running;
    running += change;
    for (const int index : tree_->groups_of(cpu)) {
        GroupLoad& group = groups_[static_cast<std::size_t>(index)];
        group.idle_cpus += (running == 0 ? 1 : 0) - (before == 0 ? 1 : 0);
        group.running += change;
        group.util += util_of(model_, running) - util_of(model_, before);
        group.runnable += runnable_of(model_, running) - runnable_of(model_, before);
        group.load += full_capacity * change;
    }
}

GroupLoad LoadView::group_within(int index, const CpuSet& allowed) const {
    const CpuSet& span = tree_->group(index).span;
    GroupLoad sum;
    for (int cpu = span.first(); cpu >= 0; cpu = span.next(cpu)) {
        if (allowed.test(cpu)) add_cpu(sum, model_, nr_running(cpu));
    }
    return sum;
}

}  // namespace pinwise
