#pragma once
/// Who touched which granule last, and whether that is reason to move it: NUMA balancing's two-pass filter.
///
/// Safe in a signal handler: memory of fixed size, lock-free, no allocation, no system call.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace pinwise {

/// A thread on a node touches a granule.
struct Toucher {
    std::uint32_t thread = 0;  ///< tid
    std::uint16_t node = 0;    ///< of the CPU it runs on: where the granule would go

    friend constexpr bool operator==(const Toucher&, const Toucher&) = default;
};

enum class FilterRule : std::uint32_t {
    two_touches,  ///< the last toucher must have been on the same node
    as_kernel,    ///< as Linux: also at the first touch of all, and, in the first passes, for a thread that changed its
                  ///< node; threads are told apart by the low 8 bits of their ids
};

/// Passes in which Linux lets a thread pull its pages along without a second touch.
inline constexpr std::uint32_t early_passes = 4;

/// Whether a granule on another node should go to `now.node`. Of a granule already there it tells nothing of use.
bool should_migrate(FilterRule rule, std::optional<Toucher> previous, Toucher now, std::uint32_t scan_seq) noexcept;

/// Whether the granule is the thread's own as far as is known: no other thread touched it last.
bool is_private_touch(FilterRule rule, std::optional<Toucher> previous, Toucher now) noexcept;

struct TouchVerdict {
    bool migrate = false;  ///< if it is elsewhere
    bool is_private = false;
    bool recorded = true;  ///< false: no room in the table, nothing is known and nothing moves
};

class HintFaultFilter {
public:
    /// All zero: free. 16 bytes a granule that was ever touched.
    struct Slot {
        std::atomic<std::uint64_t> granule_plus_one{0};
        std::atomic<std::uint64_t> last{0};
    };

    /// `table`: zeroed, a power of two of slots, outlives the filter; for n granules at least 2n slots are right. The
    /// caller maps it (never from the program's allocator).
    HintFaultFilter(std::span<Slot> table, FilterRule rule) noexcept : table_(table), rule_(rule) {}

    /// `granule`: its address divided by its size. Every hint fault is told, also those of granules that are where they
    /// belong.
    TouchVerdict touch(std::uint64_t granule, Toucher now, std::uint32_t scan_seq) noexcept;

    /// The granules [first, last) were unmapped or mapped anew. Costs a look-up each.
    void forget(std::uint64_t first, std::uint64_t last) noexcept;

private:
    Slot* find(std::uint64_t granule, bool insert) noexcept;

    std::span<Slot> table_;
    FilterRule rule_;
};

}  // namespace pinwise
