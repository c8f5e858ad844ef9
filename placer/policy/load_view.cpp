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

/// What a CPU with `running` threads contributes to the sums of its groups.
GroupLoad load_of_cpu(LoadModel model, int running) {
    return {running == 0 ? 1 : 0, running, util_of(model, running), runnable_of(model, running),
            full_capacity * running};
}

void operator+=(GroupLoad& sum, const GroupLoad& load) {
    sum.idle_cpus += load.idle_cpus;
    sum.running += load.running;
    sum.util += load.util;
    sum.runnable += load.runnable;
    sum.load += load.load;
}

GroupLoad operator-(const GroupLoad& a, const GroupLoad& b) {
    return {a.idle_cpus - b.idle_cpus, a.running - b.running, a.util - b.util, a.runnable - b.runnable,
            a.load - b.load};
}

}  // namespace

std::string_view to_string(LoadModel model) {
    return model == LoadModel::fresh ? "fresh" : "saturated";
}

LoadView::LoadView(const DomainTree& tree, LoadModel model)
    : tree_(&tree),
      model_(model),
      nr_running_(static_cast<std::size_t>(tree.cpu_limit())),
      groups_(tree.groups().size()) {
    masked_.mask_ = tree.cpus();
    masked_.idle_ = tree.cpus();
    masked_.groups_.resize(groups_.size());
    masked_.cores_.reserve(tree.hierarchy().cores.size());
    masked_.positions_.resize(tree.hierarchy().cores.size());
    reset();
}

void LoadView::reset() {
    for (int& running : nr_running_)
        running = 0;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        groups_[group] = GroupLoad{};
        groups_[group].idle_cpus = tree_->group(static_cast<int>(group)).weight;
    }
    sum_within_mask();
}

void LoadView::add(int cpu) {
    count(cpu, 1);
}

void LoadView::remove(int cpu) {
    count(cpu, -1);
}

void LoadView::count(int cpu, int change) {
    int& running = nr_running_[static_cast<std::size_t>(cpu)];
    const GroupLoad before = load_of_cpu(model_, running);
    running += change;
    const GroupLoad difference = load_of_cpu(model_, running) - before;
    for (const int index : tree_->groups_of(cpu))
        groups_[static_cast<std::size_t>(index)] += difference;
    if (masked_.mask_.test(cpu)) count_within_mask(cpu, difference);
    count_core(cpu, change);
}

void LoadView::count_within_mask(int cpu, const GroupLoad& change) {
    for (const int index : tree_->groups_of(cpu))
        masked_.groups_[static_cast<std::size_t>(index)].load += change;
    if (idle(cpu)) {
        masked_.idle_.set(cpu);
    } else {
        masked_.idle_.clear(cpu);
    }
}

/// One thread more or less on `cpu`: it may have begun or ended its core's idleness.
void LoadView::count_core(int cpu, int change) {
    const CpuHierarchy& hierarchy = tree_->hierarchy();
    const int position = hierarchy.core_of_cpu[static_cast<std::size_t>(cpu)];
    const int group = hierarchy.cores[static_cast<std::size_t>(position)].group;
    if (masked_.group(group).allowed_cpus == 0) return;
    CoreLoad& core = masked_.cores_[masked_.position_of(position)];
    const bool was_idle = core.running == 0;
    core.running += change;
    core.idle = masked_.group(group).load.idle_cpus;
    const bool is_idle = core.running == 0;
    if (is_idle == was_idle) return;
    const int core_weight = tree_->group(group).weight;
    for (const int index : tree_->groups_of(cpu)) {
        if (tree_->group(index).weight >= core_weight)
            masked_.groups_[static_cast<std::size_t>(index)].idle_cores += is_idle ? 1 : -1;
    }
}

void LoadView::sum_within_mask() const {
    for (MaskedGroupLoad& group : masked_.groups_)
        group = {};
    masked_.idle_ = masked_.mask_;
    for (int cpu = masked_.mask_.first(); cpu >= 0; cpu = masked_.mask_.next(cpu)) {
        for (const int index : tree_->groups_of(cpu)) {
            MaskedGroupLoad& group = masked_.groups_[static_cast<std::size_t>(index)];
            group.load += load_of_cpu(model_, nr_running(cpu));
            ++group.allowed_cpus;
        }
        if (!idle(cpu)) masked_.idle_.clear(cpu);
    }
    sum_cores();
}

void LoadView::sum_cores() const {
    masked_.cores_.clear();
    const std::vector<CorePlace>& cores = tree_->hierarchy().cores;
    for (std::size_t index = 0; index < cores.size(); ++index) {
        const CorePlace& core = cores[index];
        masked_.positions_[index] = masked_.cores_.size();
        const MaskedGroupLoad& masked = masked_.group(core.group);
        if (masked.allowed_cpus == 0) continue;
        const int running = group(core.group).running;
        masked_.cores_.push_back({static_cast<int>(index), masked.allowed_cpus, masked.load.idle_cpus, running});
        const int core_weight = tree_->group(core.group).weight;
        for (const int containing : tree_->groups_of(core.first_cpu)) {
            if (tree_->group(containing).weight < core_weight) continue;
            MaskedGroupLoad& group = masked_.groups_[static_cast<std::size_t>(containing)];
            ++group.allowed_cores;
            group.idle_cores += running == 0 ? 1 : 0;
        }
    }
}

const MaskedLoad& LoadView::within(const CpuSet& allowed) const {
    if (allowed != masked_.mask_) {
        masked_.mask_ = allowed;
        sum_within_mask();
    }
    return masked_;
}

}  // namespace pinwise
