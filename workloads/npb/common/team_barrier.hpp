#pragma once
/// Synchronisation inside one parallel region that stays cheap when threads outnumber CPUs.
///
/// OpenMP's own barrier decides how long to spin from what the runtime saw when it was loaded, which is not what a
/// placer makes of it later. These wait for a bounded time by spinning, and not at all when the team's threads
/// outnumber the CPUs they may use; then they sleep.

#include <atomic>
#include <cstdint>
#include <vector>

#include "workloads/common/thread_team.hpp"

namespace pinwise::npb {

/// Rounds of "pause" before a waiting thread sleeps: 0 when the threads outnumber their allowed CPUs or
/// OMP_WAIT_POLICY is passive, else some 50 µs worth; practically for ever when the policy is active.
std::uint32_t spin_rounds_for(const workloads::ThreadTeam& team);

/// A barrier for `threads` threads, any number of times. All that happened before it in any thread has happened for
/// every thread after it.
class TeamBarrier {
public:
    TeamBarrier(int threads, std::uint32_t spin_rounds)
        : threads_(static_cast<std::uint32_t>(threads)), spin_rounds_(spin_rounds) {}
    explicit TeamBarrier(const workloads::ThreadTeam& team) : TeamBarrier(team.size(), spin_rounds_for(team)) {}

    void wait() {
        wait([] {});
    }

    /// The last thread to arrive runs `completion` before any is released.
    template <class Completion>
    void wait(const Completion& completion) {
        const std::uint32_t phase = phase_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
            arrived_.store(0, std::memory_order_relaxed);
            completion();
            release(phase + 1);
        } else {
            await_change_of(phase);
        }
    }

private:
    void release(std::uint32_t next_phase);
    void await_change_of(std::uint32_t phase);

    static constexpr std::size_t line_bytes = 64;
    std::uint32_t threads_;
    std::uint32_t spin_rounds_;
    alignas(line_bytes) std::atomic<std::uint32_t> arrived_ = 0;
    alignas(line_bytes) std::atomic<std::uint32_t> phase_ = 0;
};

/// A barrier that also adds up one number of each thread, in the order of the threads, so that the sum does not depend
/// on who comes first.
class TeamSum {
public:
    TeamSum(int threads, std::uint32_t spin_rounds)
        : barrier_(threads, spin_rounds), parts_(static_cast<std::size_t>(threads)) {}
    explicit TeamSum(const workloads::ThreadTeam& team) : TeamSum(team.size(), spin_rounds_for(team)) {}

    /// Every thread of the team calls it with its own number; all get the sum.
    double operator()(int thread, double part) {
        parts_[static_cast<std::size_t>(thread)].value = part;
        barrier_.wait([this] {
            double sum = 0;
            for (const Part& each : parts_)
                sum += each.value;
            sum_ = sum;
        });
        return sum_;
    }

private:
    struct alignas(64) Part {
        double value = 0;
    };

    TeamBarrier barrier_;
    std::vector<Part> parts_;
    double sum_ = 0;
};

}  // namespace pinwise::npb
