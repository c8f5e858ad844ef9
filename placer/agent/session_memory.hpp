#pragma once
/// The memory that the owner and all processes of one session share: header, thread records, serialised machine.
///
/// Any process of the session can write here, so every number read from it is checked before it is used as an index.
/// Writers of records, load and live list hold the session's lock; readers need not, because every field that changes
/// is atomic.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <pthread.h>

#include "placer/agent/cpu_mask.hpp"
#include "placer/agent/leaving_threads.hpp"
#include "placer/agent/session.hpp"
#include "placer/result.hpp"
#include "placer/scan/shared_scan.hpp"

namespace pinwise {

/// Records in a session; those of ended threads are used again when all are taken.
inline constexpr int max_session_threads = 65536;

/// Distinct affinity masks a session remembers; programs use a handful.
inline constexpr std::uint32_t max_session_masks = 64;
/// A place in SessionHeader::masks that stands for none.
inline constexpr std::uint32_t no_session_mask = max_session_masks;

enum class RecordState : std::uint32_t {
    free,
    creating,  ///< has a CPU, the thread has not reported yet
    alive,
    leaving,  ///< has ended, and still counts as load until the next one who holds the lock has seen it
    ended,    ///< seen to end, or seen to be gone
};

/// ThreadRecord as it lies in shared memory.
struct SharedRecord {
    std::atomic<RecordState> state;
    std::atomic<std::int32_t> index;
    std::atomic<std::int32_t> pid;
    std::atomic<std::int32_t> tid;  ///< 0 while creating
    std::atomic<std::int32_t> asked_cpu;
    std::atomic<std::int32_t> got_count;
    std::atomic<std::int32_t> got_cpu;
    std::atomic<std::int32_t> first_cpu;
    std::atomic<std::int32_t> last_cpu;
    std::atomic<std::int32_t> counted_cpu;  ///< where it counts as load; -1: nowhere (waiting, ended)
    std::atomic<FirstCpuMeans> first_cpu_means;
    std::atomic<std::uint32_t> affinity_kept;
    std::atomic<std::int64_t> migrations;
    std::atomic<std::int64_t> migrations_at_birth;  ///< being put on its CPU is not one of the program's; -1: not read
    std::atomic<std::int64_t> born_ns;
    std::atomic<std::int64_t> ended_ns;
    std::atomic<std::uint64_t> start_ticks;   ///< start time of the task in /proc: tells a reused tid; 0: not yet read
    std::atomic<std::uint64_t> given_mask;    ///< CpuMask::hash() of the mask the session gave it; 0: none
    std::atomic<std::int64_t> given_seen_ns;  ///< when the thread itself last saw that mask on it
    std::atomic<std::uint64_t> given_before;  ///< the one it had until a balancer gave it another; 0: none
    std::array<std::atomic<std::uint64_t>, 2> name;
    std::atomic<std::uint64_t> handle;     ///< its pthread_t; 0: not known yet
    std::atomic<std::uint32_t> live_slot;  ///< its place in SessionHeader::live
    std::atomic<std::uint32_t>
        unbound_mask;  ///< the affinity it would have without us: a place in SessionHeader::masks
    std::atomic<std::uint32_t> inherited_mask;  ///< the same before the program set it itself
    std::atomic<std::uint32_t> seen_waiting;    ///< 1: the last refresh of the load found it waiting
    std::atomic<std::uint32_t> own_affinity;    ///< times the program set its affinity itself, which was respected
    std::atomic<std::uint32_t> overridden;      ///< times it tried and was overridden (--force)
    std::atomic<std::uint64_t> scans;           ///< windows of memory that it armed
    std::atomic<std::uint64_t> scan_system_ns;  ///< CPU time it spent in arming and in hint faults
    std::atomic<std::uint64_t> hint_faults;
    std::atomic<std::uint64_t> hint_faults_local;
};
static_assert(sizeof(SharedRecord) == 192 && alignof(SharedRecord) == 8);

/// Whether an affinity with this hash is of the session's making. Who read it may have done so just before a balancer
/// changed it.
inline bool was_given(const SharedRecord& record, std::uint64_t hash) {
    return record.given_mask.load(std::memory_order_relaxed) == hash ||
           record.given_before.load(std::memory_order_relaxed) == hash;
}

// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): lies in zeroed memory, filled by SessionMemory::create().
struct SessionHeader {
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t record_bytes;
    std::uint64_t total_bytes;
    std::uint64_t id;             ///< random: tells this session from another one behind a reused pid
    std::uint64_t pid_namespace;  ///< inode: pids mean nothing in another namespace
    std::uint64_t machine_bytes;
    std::uint64_t policy_bytes;
    Bind bind;
    std::uint32_t force;          ///< 1: affinities the program sets are overridden
    std::int64_t created_ns;      ///< CLOCK_MONOTONIC
    std::int32_t skipped_births;  ///< so many threads of each process are left to the kernel
    std::int32_t cross_node_bal;  ///< percent, of a balancer that keeps threads at home; 0: there is none
    CpuMask allowed;
    pthread_mutex_t mutex;  ///< process-shared, robust

    std::atomic<std::int32_t> records_used;  ///< records handed out at least once
    std::atomic<std::int32_t> next_index;    ///< of the next thread
    std::atomic<std::int32_t> reuse_cursor;
    std::atomic<std::int32_t> live_count;
    std::atomic<std::int32_t> threads_skipped;  ///< left to the kernel so far: they take no position of the policy
    std::atomic<std::uint32_t> masks_used;
    std::atomic<std::uint64_t> threads_not_recorded;
    std::atomic<std::int64_t> refreshed_ns;
    std::atomic<std::int64_t> refresh_cost_ns;
    std::atomic<std::int64_t> counting_cost_ns;                        ///< spent so far on counting migrations
    std::array<std::atomic<std::uint32_t>, max_session_cpus> running;  ///< runnable threads of the session per CPU
    std::array<std::atomic<std::uint32_t>, max_session_cpus>
        others;  ///< runnable threads of other programs (--observe)
    std::array<std::atomic<std::uint32_t>, max_session_threads> live;  ///< records not free or ended, in no order
    LeavingThreads leaving;
    SharedScan scan;
    std::array<CpuMask, max_session_masks> masks;  ///< the first masks_used never change; the first is `allowed`
};

static_assert(std::atomic<std::int32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<RecordState>::is_always_lock_free && std::atomic<FirstCpuMeans>::is_always_lock_free);
static_assert(LeavingThreads::capacity == max_session_threads);
static_assert(offsetof(SessionHeader, version) == 8 && offsetof(SessionHeader, total_bytes) == 16);

/// A mapping of the session's memory. The descriptor it came from is not needed afterwards.
class SessionMemory {
public:
    struct Contents {
        std::span<const std::byte> machine;  ///< encode_machine()
        std::string_view policy;
        Bind bind = Bind::initial;
        CpuMask allowed;
        bool force = false;
        int skipped_births = 0;
        int cross_node_bal = 0;
        ScanSettings scan{};
        bool scan_anyway = false;
    };

    /// New memory without a name in any file system, sealed against resizing. `descriptor` receives its close-on-exec
    /// descriptor, which the caller owns.
    static Result<SessionMemory> create(const Contents& contents, int& descriptor);
    /// Maps the memory behind `descriptor`; nothing when it is not a session with that id and of this version.
    static std::optional<SessionMemory> attach(int descriptor, std::uint64_t id);

    [[nodiscard]] SessionHeader& header() const;
    [[nodiscard]] std::span<SharedRecord> records() const;
    [[nodiscard]] std::span<const std::byte> machine() const;
    [[nodiscard]] std::string_view policy() const;

private:
    struct Unmap {
        std::size_t bytes = 0;
        void operator()(std::byte* start) const;
    };
    explicit SessionMemory(std::unique_ptr<std::byte, Unmap> mapping) : mapping_(std::move(mapping)) {}
    static std::unique_ptr<std::byte, Unmap> map(int descriptor, std::size_t bytes);

    std::unique_ptr<std::byte, Unmap> mapping_;
};

/// Where processes of a session find its memory: "OWNER_PID/DESCRIPTOR/ID", the value of PINWISE_SESSION.
struct SessionAddress {
    int owner = 0;
    int descriptor = 0;
    std::uint64_t id = 0;

    [[nodiscard]] std::string text() const;
    static std::optional<SessionAddress> parse(std::string_view text);
};

inline constexpr const char* session_variable = "PINWISE_SESSION";

/// CLOCK_MONOTONIC.
std::int64_t session_time_ns();

/// CPU time of the calling thread: what looking around costs. On a crowded machine, where looking matters most, wall
/// time would be mostly waiting.
std::int64_t own_cpu_time_ns();

/// Inode of the calling process's pid namespace; 0 when /proc does not tell.
std::uint64_t pid_namespace();

}  // namespace pinwise
