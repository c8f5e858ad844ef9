#include "runner/report/placement_map.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace pinwise::report {
namespace {

using ThreadsOfCpu = std::map<int, std::vector<int>>;

std::string thread_list(const std::vector<int>& threads) {
    return fmt::format("thread{} {}", threads.size() == 1 ? "" : "s", fmt::join(threads, ", "));
}

Html cpu_box(const Pu& pu, const CpuSet& mask, const ThreadsOfCpu& threads) {
    const auto found = threads.find(pu.os_index);
    if (found == threads.end()) {
        const bool usable = mask.test(pu.os_index);
        return html(R"(<span class="cpu{}" title="CPU {}: {}"></span>)", usable ? "" : " out", pu.os_index,
                    usable ? "no thread" : "outside the mask");
    }
    const auto& here = found->second;
    const bool alone = here.size() == 1;
    return html(R"(<span class="cpu {}" title="CPU {}: {}">{}</span>)", alone ? "one" : "many", pu.os_index,
                thread_list(here), alone ? fmt::format("{}", here.front()) : fmt::format("{}×", here.size()));
}

/// Order of the boxes, and which of them share a frame.
auto frame_of(const Pu& pu) {
    return std::tuple(pu.package, pu.node.value_or(std::numeric_limits<int>::max()), pu.llc);
}

std::vector<const Pu*> pus_by_frame(const Machine& machine) {
    std::vector<const Pu*> pus;
    for (const Pu& pu : machine.pus)
        pus.push_back(&pu);
    std::ranges::stable_sort(pus, {}, [](const Pu* pu) { return std::tuple(frame_of(*pu), pu->core, pu->smt_rank); });
    return pus;
}

std::string node_name(const Pu& pu) {
    return pu.node ? fmt::format("node {}", *pu.node) : "in no node";
}

/// Opens and closes frames as the CPUs pass by.
class FrameWriter {
public:
    void enter(const Pu& pu) {
        const bool same_package = last_ != nullptr && last_->package == pu.package;
        const bool same_node = same_package && last_->node == pu.node;
        const bool same_llc = same_node && last_->llc == pu.llc;
        if (!same_llc) close(same_node ? 1 : same_package ? 2 : 3);
        if (!same_package) open("package", fmt::format("package {}", pu.package));
        if (!same_node) open("node", node_name(pu));
        if (!same_llc) map_ += html(R"(<span class="llc" title="last-level cache {}">)", pu.llc);
        last_ = &pu;
    }
    void add(const Html& box) { map_ += box; }
    Html finish() {
        close(3);
        return std::move(map_);
    }

private:
    void open(std::string_view kind, const std::string& name) {
        map_ += html(R"(<span class="{}"><span class="name">{}</span>)", kind, name);
    }
    void close(int frames) {
        for (int i = 0; last_ != nullptr && i < frames; ++i)
            map_ += html("</span>");
    }

    const Pu* last_ = nullptr;
    Html map_;
};

}  // namespace

Html placement_map(const Machine& machine, const CpuSet& mask, std::span<const ThreadRow* const> threads,
                   std::string_view name) {
    ThreadsOfCpu threads_of_cpu;
    for (const ThreadRow* const thread : threads)
        if (thread->first_cpu) threads_of_cpu[*thread->first_cpu].push_back(thread->thread);
    FrameWriter frames;
    for (const Pu* const pu : pus_by_frame(machine)) {
        frames.enter(*pu);
        frames.add(cpu_box(*pu, mask, threads_of_cpu));
    }
    return html(R"(<div class="map" role="img" aria-label="{}">{}</div>)", name, frames.finish());
}

Html placement_legend() {
    return html(
        R"(<p class="legend">Boxes are packages, NUMA nodes, last-level caches and CPUs. <span class="cpu one">3</span> thread 3 started )"
        R"(here; <span class="cpu many">5×</span> five threads on one CPU; <span class="cpu"></span> no thread; )"
        R"(<span class="cpu out"></span> not in the mask.</p>)");
}

}  // namespace pinwise::report
