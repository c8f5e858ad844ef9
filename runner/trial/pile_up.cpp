#include "runner/trial/pile_up.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "placer/agent/task_status.hpp"
#include "runner/trial/steady_time.hpp"

namespace pinwise {
namespace {

constexpr std::int64_t shortest_look_pause_ns = 10 * ns_per_ms;
constexpr std::int64_t time_to_look_pause = 20;
constexpr std::int64_t cost_to_look_pause = 100;

/// Who was busy, from one look to the next.
class Busyness {
public:
    explicit Busyness(std::span<const ThreadRecord> workers) {
        for (const ThreadRecord& worker : workers)
            before_[worker.tid] = {worker.born_ns, 0};
    }

    [[nodiscard]] bool is_worker(const SeenThread& thread) const { return before_.contains(thread.tid); }

    /// Of a worker; to be asked once at each look.
    bool is_busy(const SeenThread& thread, std::int64_t time_ns) {
        const Before before = before_[thread.tid];
        before_[thread.tid] = {time_ns, thread.busy_ns};
        return thread.runnable || 2 * (thread.busy_ns - before.busy_ns) > time_ns - before.time_ns;
    }

private:
    struct Before {
        std::int64_t time_ns = 0;
        std::int64_t busy_ns = 0;
    };
    std::map<int, Before> before_;
};

enum class Seen : std::uint8_t { apart, piled_up, not_all };

Seen what_is_seen(const ThreadLook& look, std::size_t workers, Busyness& busyness) {
    std::set<int> cpus;
    std::size_t seen = 0;
    bool piled_up = false;
    for (const SeenThread& thread : look.threads) {
        if (!busyness.is_worker(thread)) continue;
        ++seen;
        if (busyness.is_busy(thread, look.time_ns) && !cpus.insert(thread.cpu).second) piled_up = true;
    }
    if (seen < workers) return Seen::not_all;
    return piled_up ? Seen::piled_up : Seen::apart;
}

}  // namespace

void ThreadLooks::look(std::span<const ThreadRecord> threads) {
    ThreadLook look{steady_now_ns(), {}};
    for (const ThreadRecord& thread : threads) {
        if (!thread.alive) continue;
        const TaskStatus status = read_task_status(thread.pid, thread.tid);
        if (status.state != TaskState::runnable && status.state != TaskState::waiting) continue;
        look.threads.push_back(
            {thread.tid, status.cpu, status.state == TaskState::runnable, read_busy_ns(thread.pid, thread.tid)});
    }
    const std::int64_t now_ns = steady_now_ns();
    next_ns_ = now_ns + std::max({shortest_look_pause_ns, (now_ns - start_ns_) / time_to_look_pause,
                                  cost_to_look_pause * (now_ns - look.time_ns)});
    looks_.push_back(std::move(look));
}

std::optional<double> piled_up_s(std::span<const ThreadLook> looks, std::span<const ThreadRecord> workers) {
    if (workers.empty()) return std::nullopt;
    const std::int64_t start_ns = std::ranges::max_element(workers, {}, &ThreadRecord::born_ns)->born_ns;
    Busyness busyness(workers);
    std::optional<std::int64_t> until_ns;
    for (const ThreadLook& look : looks) {
        const Seen seen = what_is_seen(look, workers.size(), busyness);
        if (seen == Seen::not_all) {
            if (until_ns) break;  // the first of them has ended
            continue;
        }
        if (seen == Seen::apart) {
            until_ns = until_ns.value_or(start_ns);
            break;
        }
        until_ns = look.time_ns;
    }
    if (!until_ns) return std::nullopt;
    return static_cast<double>(std::max(*until_ns - start_ns, std::int64_t{0})) / ns_per_s;
}

}  // namespace pinwise
