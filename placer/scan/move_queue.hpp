#pragma once
/// Granules that wait to be moved to one node: filled by hint faults, emptied by the mover.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace pinwise {

/// A granule to move. Page aligned; at most 2 MiB.
struct MoveRequest {
    std::uintptr_t start = 0;
    std::uint32_t bytes = 0;
    std::uint32_t thread = 0;  ///< tid of the one whose touch asked for it
};

/// Bounded queue of many producers and one consumer, for one target node. push() is safe in a signal handler: no lock,
/// no allocation, no waiting. Method: D. Vyukov's bounded queue with a sequence number in each cell.
class MoveQueue {
public:
    struct Cell {
        std::atomic<std::uint64_t> sequence{0};
        MoveRequest request;
    };

    /// Before the first push. `cells`: a power of two of them, outlive the queue; the caller maps them.
    void use(std::span<Cell> cells) noexcept;

    /// False: full (or without cells); the request is forgotten, a later hint fault will ask again.
    bool push(const MoveRequest& request) noexcept;
    /// Nothing: empty, or the oldest request is still being written.
    std::optional<MoveRequest> pop() noexcept;
    /// Empty again, whatever was being written: in the child after fork, while it has one thread.
    void reset() noexcept;

private:
    std::span<Cell> cells_;
    std::atomic<std::uint64_t> next_push_{0};
    std::uint64_t next_pop_ = 0;
};

}  // namespace pinwise
