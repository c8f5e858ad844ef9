#include "tests/lab/programs/prediction.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pinwise::lab {

namespace {

/// The creations of `threads` but the first, in their order.
Result<std::vector<SchedEvent>> births_of(std::span<const SchedEvent> events, std::span<const SpinningThread> threads) {
    std::vector<SchedEvent> births;
    for (const SpinningThread& thread : threads.subspan(1)) {
        const auto birth = std::ranges::find_if(events, [&thread](const SchedEvent& event) {
            return event.kind == SchedEvent::Kind::new_thread && event.tid == thread.tid;
        });
        if (birth == events.end() || birth->running_cpu < 0)
            return failure(fmt::format("the trace has no sched_wakeup_new of thread {}", thread.tid));
        births.push_back(*birth);
    }
    if (births.empty()) return failure("a run of one thread predicts nothing");
    return births;
}

int migrations_between(std::span<const SchedEvent> events, std::span<const SpinningThread> threads,
                       std::int64_t begin_ns, std::int64_t end_ns) {
    return static_cast<int>(std::ranges::count_if(events, [&](const SchedEvent& event) {
        return event.kind == SchedEvent::Kind::migration && event.from_cpu != event.cpu && event.time_ns > begin_ns &&
               event.time_ns < end_ns && std::ranges::find(threads, event.tid, &SpinningThread::tid) != threads.end();
    }));
}

}  // namespace

bool Prediction::agrees() const {
    return predicted_summary.threads_per_node == chosen_summary.threads_per_node &&
           predicted_summary.cpus_used == chosen_summary.cpus_used;
}

std::string Prediction::difference(const DomainTree& tree) const {
    std::string text = fmt::format("creator on CPU {}: predicted {} on {} CPUs, the kernel {} on {}", creator_cpu,
                                   format_node_counts(predicted_summary.threads_per_node), predicted_summary.cpus_used,
                                   format_node_counts(chosen_summary.threads_per_node), chosen_summary.cpus_used);
    for (std::size_t thread = 0; thread < chosen.size(); ++thread) {
        if (tree.node_of(predicted[thread]) == tree.node_of(chosen[thread])) continue;
        text += fmt::format("; thread {} was the first on another node (predicted CPU {}, got {})", thread + 1,
                            predicted[thread], chosen[thread]);
        break;
    }
    if (creator_moves > 0) text += fmt::format("; moves of the creator while it created: {}", creator_moves);
    if (early_migrations > 0) text += fmt::format("; migrations before the last creation: {}", early_migrations);
    return text;
}

Result<Prediction> predict(const DomainTree& tree, const PlacementPolicy& policy, const CpuSet& allowed,
                           std::span<const SchedEvent> events, std::span<const SpinningThread> threads) {
    const auto births = births_of(events, threads);
    if (!births) return tl::unexpected<Error>(births.error());
    Prediction prediction;
    prediction.creator_cpu = births->front().running_cpu;
    PlacementRequest request;
    request.threads = static_cast<int>(threads.size());
    request.allowed = allowed;
    request.waker = prediction.creator_cpu;
    const auto plan = make_plan(tree, policy, request, Reasons::drop);
    if (!plan) return tl::unexpected<Error>(plan.error());
    for (const Placement& placement : plan->threads)
        prediction.predicted.push_back(placement.cpu);
    prediction.chosen.push_back(prediction.creator_cpu);
    int creator_cpu = prediction.creator_cpu;
    for (const SchedEvent& birth : *births) {
        prediction.chosen.push_back(birth.cpu);
        prediction.creator_moves += birth.running_cpu != creator_cpu ? 1 : 0;
        creator_cpu = birth.running_cpu;
    }
    prediction.early_migrations = migrations_between(events, threads, births->front().time_ns, births->back().time_ns);
    prediction.predicted_summary = summarize(tree, prediction.predicted);
    prediction.chosen_summary = summarize(tree, prediction.chosen);
    return prediction;
}

}  // namespace pinwise::lab
