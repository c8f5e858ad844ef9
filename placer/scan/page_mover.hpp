#pragma once
/// Moves granules to a node with batched move_pages calls, and accounts for every page.
///
/// Not for a signal handler, but all memory is taken in the constructor: moving allocates nothing and takes no lock, so
/// it may run in a thread of ours inside any program.
///
/// move_pages(2) does not write the statuses of a batch that fails in part, flushes what it has gathered at each page
/// that it does not queue, and answers EBUSY for the second address of a large folio. So pages are asked for first and
/// only those that are elsewhere are named; statuses are pre-filled with a value the kernel never writes; what was not
/// written, and every EBUSY, is asked for again; and of a large folio one address is named first.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "placer/scan/move_queue.hpp"
#include "placer/scan/page_calls.hpp"

namespace pinwise {

/// Why no page moves, for the whole process.
enum class MoverState : std::uint32_t {
    working,
    denied,       ///< EPERM: a container's seccomp filter
    unsupported,  ///< ENOSYS
    one_node,     ///< there is nowhere to move to
    no_node,      ///< no target node that was asked for can be used any more
};
std::string_view to_string(MoverState state);

/// What is known of a target node.
enum class TargetState : std::uint8_t {
    usable,
    absent,      ///< ENODEV: offline, or without memory
    disallowed,  ///< EACCES: outside of the cpuset's memory nodes
    full,        ///< ENOMEM: not asked again before retry_full_nodes()
};

inline constexpr std::size_t max_scan_nodes = 64;
/// errno values are counted by number; above this, in the last place.
inline constexpr std::size_t max_counted_errno = 134;

/// Pages are of the system's base page size. examined = local_already + moved + sum of failed + not_processed.
struct MoveLedger {
    std::uint64_t examined = 0;
    std::uint64_t local_already = 0;
    std::uint64_t moved = 0;
    std::uint64_t not_processed = 0;                        ///< the call gave up before them
    std::array<std::uint64_t, max_counted_errno> failed{};  ///< by errno; ENOENT: not present
    std::uint64_t bytes_moved = 0;
    std::uint64_t move_ns = 0;   ///< wall time in calls that move
    std::uint64_t query_ns = 0;  ///< wall time in calls that ask
    std::uint64_t calls = 0;     ///< of both kinds

    [[nodiscard]] std::uint64_t failed_pages() const;
    /// Moving and asking; 0 before the first move.
    [[nodiscard]] double ns_per_page() const;
};

/// How one granule fared.
struct MoveOutcome {
    std::uint64_t moved = 0;
    std::uint64_t failed =
        0;  ///< pages that stay elsewhere: failed or not processed; not those not present, nor the zero page
};

class PageMover {
public:
    /// `nodes_with_memory`: where pages may go; with fewer than two the mover's state is one_node.
    /// `folio_bytes`: largest folio the granules may be made of: the page size, or 2 MiB where transparent huge pages
    /// are on.
    PageMover(PageCalls& calls, std::span<const int> nodes_with_memory, std::size_t folio_bytes,
              std::size_t pages_per_call = default_pages_per_call);

    /// Moves all of them to `node`; `outcomes`, when not empty, has one entry per request. Does nothing unless working,
    /// and the node usable.
    void move(std::span<const MoveRequest> requests, int node, std::span<MoveOutcome> outcomes = {});

    [[nodiscard]] const MoveLedger& ledger() const { return ledger_; }
    [[nodiscard]] MoverState state() const { return state_; }
    [[nodiscard]] TargetState node_state(int node) const;
    void retry_full_nodes();

    static constexpr std::size_t default_pages_per_call = 4096;

private:
    struct Page {
        std::uintptr_t address = 0;
        std::uint32_t request = 0;  ///< index into the requests of the move() under way
    };
    void move_batch(int node, std::span<MoveOutcome> outcomes);
    bool ask();
    void keep_those_elsewhere(int node, std::span<MoveOutcome> outcomes);
    void move_folio_heads(int node, std::span<MoveOutcome> outcomes);
    bool move_whole_batch(int node, std::span<MoveOutcome> outcomes);
    int call_move(std::size_t count, int node);
    void note_call_error(int error, int node);
    void count_moved(const Page& page, std::span<MoveOutcome> outcomes);
    void count_failed(const Page& page, int error, std::span<MoveOutcome> outcomes);
    [[nodiscard]] bool may_move_to(int node) const;

    PageCalls* calls_;
    std::size_t page_bytes_;
    std::size_t folio_bytes_;
    std::size_t pages_per_call_;
    MoverState state_ = MoverState::working;
    std::array<TargetState, max_scan_nodes> node_states_{};
    MoveLedger ledger_;
    std::vector<Page> batch_;       ///< pages not settled yet
    std::vector<void*> addresses_;  ///< the arrays of a call
    std::vector<int> nodes_;
    std::vector<int> status_;
    std::vector<int> reasons_;  ///< statuses of the moving call while it is asked where pages are
};

}  // namespace pinwise
