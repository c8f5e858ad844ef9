#include "workloads/common/page_watch.hpp"

#include <algorithm>
#include <utility>

namespace pinwise::workloads {

namespace {

constexpr std::size_t samples_at_a_look = 128;
constexpr std::chrono::milliseconds shortest_pause(200);
constexpr int cost_to_pause = 200;

std::uint64_t on_node(const NodePages& pages, int node) {
    const auto found = pages.find(node);
    return found == pages.end() ? 0 : found->second;
}

std::uint64_t all(const NodePages& pages) {
    std::uint64_t sum = 0;
    for (const auto& [node, count] : pages)
        sum += count;
    return sum;
}

}  // namespace

PageWatch::PageWatch(ThreadTeam& team, std::vector<NamedArray> arrays, RangesOfThread ranges_of_thread)
    : team_(team), arrays_(std::move(arrays)), ranges_of_thread_(std::move(ranges_of_thread)) {
    for (const auto& [name, memory] : arrays_)
        report_.arrays.push_back({name, memory.size(), {}, {}});
}

void PageWatch::start() {
    for (std::size_t i = 0; i < arrays_.size(); ++i)
        if (auto pages = sample_node_pages(std::array{arrays_[i].memory}, page_samples))
            report_.arrays[i].start = std::move(*pages);
    started_ = next_look_ = Clock::now();
    look();
}

void PageWatch::look() {
    const auto begin = Clock::now();
    if (begin < next_look_) return;
    std::uint64_t local = 0;
    std::uint64_t sampled = 0;
    for (const ThreadCpus& thread : team_.threads) {
        const auto pages = sample_node_pages(ranges_of_thread_(thread.thread), samples_at_a_look);
        if (!pages) continue;
        local += on_node(*pages, node_of_task(thread.tid));
        sampled += all(*pages);
    }
    note_share(local, sampled);
    const auto now = Clock::now();
    next_look_ = now + std::max<Clock::duration>(shortest_pause, cost_to_pause * (now - begin));
}

PageReport PageWatch::finish() {
    std::uint64_t local = 0;
    std::uint64_t sampled = 0;
    for (ThreadCpus& thread : team_.threads) {
        auto pages = sample_node_pages(ranges_of_thread_(thread.thread), page_samples);
        if (!pages) {
            report_.unavailable_because = pages.error().message;
            continue;
        }
        local += on_node(*pages, thread.last_node);
        sampled += all(*pages);
        thread.node_pages = std::move(*pages);
    }
    note_share(local, sampled);
    std::vector<MemoryRange> memory;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        memory.push_back(arrays_[i].memory);
        if (auto pages = sample_node_pages(std::array{arrays_[i].memory}, page_samples))
            report_.arrays[i].end = std::move(*pages);
    }
    add_team_pages(team_.threads, memory, report_);
    return std::move(report_);
}

void PageWatch::note_share(std::uint64_t local, std::uint64_t sampled) {
    if (sampled == 0) return;
    report_.local_share.push_back({seconds(), 100.0 * static_cast<double>(local) / static_cast<double>(sampled)});
}

double PageWatch::seconds() const {
    return std::chrono::duration<double>(Clock::now() - started_).count();
}

}  // namespace pinwise::workloads
