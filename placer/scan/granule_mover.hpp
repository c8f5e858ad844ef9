#pragma once
/// From "this granule is used from another node" to the move: whether it pays, queues per node, batches, pace, ledger.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "placer/scan/address_range.hpp"
#include "placer/scan/move_pacing.hpp"
#include "placer/scan/move_queue.hpp"
#include "placer/scan/page_calls.hpp"
#include "placer/scan/page_mover.hpp"
#include "placer/scan/scan_clock.hpp"
#include "placer/scan/shared_scan.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

/// Built when a process starts. After that nothing allocates, and all of it may be used in a signal handler: whoever
/// drains while another thread does returns at once.
class GranuleMover {
public:
    GranuleMover(SharedScan& shared, const Machine& machine, PageCalls& calls);

    struct Wish {
        AddressRange granule;
        int from = 0;
        int to = 0;
        std::uint32_t thread = 0;  ///< tid
        double revisit_ns = 0;     ///< how long after arming it was touched
    };
    /// Queued, unless it would not pay back within the horizon or the queue is full; both are counted.
    void wish(const Wish& wish) noexcept;

    /// Enough is waiting for a batch.
    [[nodiscard]] bool batch_is_ready() const noexcept;
    /// Moves what waits, as far as the pace allows. `faults`: of the calling thread, told of pages that failed.
    void drain(std::uint64_t now_ns, FaultWindow& faults) noexcept;
    /// Nodes that were full are asked again.
    void pass_completed() noexcept { retry_full_nodes_.store(true, std::memory_order_relaxed); }

    [[nodiscard]] MoverState state() const noexcept { return mover_.state(); }
    /// Nodes that memory can be on.
    [[nodiscard]] std::size_t node_count() const noexcept { return nodes_.size(); }

    void after_fork_in_child() noexcept;

private:
    struct Target {
        int node = 0;
        MoveQueue queue;
        std::unique_ptr<MoveQueue::Cell[]> cells;  // NOLINT(modernize-avoid-c-arrays): cells cannot move
    };
    static constexpr std::size_t most_requests = 64;

    [[nodiscard]] bool pays(const Wish& wish) const noexcept;
    void observe_pressure(std::uint64_t now_ns) noexcept;
    void move_some(Target& target, std::uint64_t now_ns, FaultWindow& faults) noexcept;
    void publish_ledger() noexcept;

    SharedScan* shared_;
    std::size_t granule_bytes_;
    std::vector<int> nodes_;
    std::vector<std::unique_ptr<Target>> targets_;
    std::vector<double> remote_over_local_;  ///< by from and to, in the order of nodes_
    PageMover mover_;
    MovePacer pacer_;
    std::atomic<double> move_ns_per_byte_{0};
    std::atomic<std::uint64_t> waiting_bytes_{0};
    std::atomic<bool> draining_{false};
    std::atomic<bool> retry_full_nodes_{false};
    std::array<MoveRequest, most_requests> requests_{};
    std::array<MoveOutcome, most_requests> outcomes_{};
    MoveLedger published_;
};

}  // namespace pinwise
