#pragma once
/// Threads that follow one another through the stages of a sweep.

#include <atomic>
#include <cstdint>
#include <vector>

namespace pinwise::npb::lu {

/// How many stages each thread has done since the beginning. A thread that needs another's stage waits for it: by
/// spinning for a bounded time, none at all where threads outnumber CPUs, then asleep.
class Progress {
public:
    /// `spin_rounds` as spin_rounds_for() gives it.
    Progress(std::size_t threads, std::uint32_t spin_rounds) : spin_rounds_(spin_rounds), done_(threads) {}

    /// Everything that `thread` did before is seen by whoever waits for `stages`.
    void set_done(std::size_t thread, std::uint32_t stages) {
        // Sequentially consistent: notify_all looks next whether anyone sleeps, and must not do so before this is seen.
        done_[thread].stages.store(stages, std::memory_order_seq_cst);
        done_[thread].stages.notify_all();
    }

    /// Returns when `thread` has done at least `stages`. The count may wrap around.
    void await(std::size_t thread, std::uint32_t stages) const;

private:
    struct alignas(64) Done {
        std::atomic<std::uint32_t> stages = 0;
    };

    std::uint32_t spin_rounds_;
    std::vector<Done> done_;
};

}  // namespace pinwise::npb::lu
