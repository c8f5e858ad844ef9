#pragma once
/// The balancer at work on one session: looks at the threads, decides (node_balancer.hpp) and sets affinities.
///
/// It runs in the owner of the session, from outside the program. It touches threads that the session placed and whose
/// affinity is still the session's, and nobody else's; a thread never gets a CPU outside the affinity it would have
/// without the session. Other programs count as load where SessionHeader::others knows of them.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "placer/agent/kept_cpus.hpp"
#include "placer/agent/load_refresh.hpp"
#include "placer/agent/session_memory.hpp"
#include "placer/agent/thread_table.hpp"
#include "placer/balance/balance_move.hpp"
#include "placer/balance/node_balancer.hpp"
#include "placer/domain/domain_tree.hpp"
#include "placer/result.hpp"

namespace pinwise {

/// Between two rounds.
inline constexpr std::int64_t balance_interval_ns = 100'000'000;
/// A thread that was just born or moved stays for so long.
inline constexpr std::int64_t least_stay_ns = 500'000'000;
/// Moves that are kept; later ones are only counted.
inline constexpr std::size_t max_recorded_moves = 100'000;

/// The kernel's part, replaced in tests.
struct TaskAccess {
    TaskReader status = read_task_status;
    CpuMask (*affinity)(pid_t tid) = CpuMask::of_thread;
    bool (*set_affinity)(pid_t tid, const CpuMask& mask) = [](pid_t tid, const CpuMask& mask) {
        return mask.apply_to(tid);
    };
};

class SessionBalancer {
public:
    /// Errors: the machine in the memory cannot be understood.
    static Result<std::unique_ptr<SessionBalancer>> create(SessionMemory memory, int cross_node_bal,
                                                           TaskAccess access = {});
    SessionBalancer(SessionMemory memory, DomainTree tree, int cross_node_bal, TaskAccess access);

    /// A round, when the last one is older than balance_interval_ns and than 20 times what it cost.
    void round_if_due();
    void round(std::int64_t now_ns);

    [[nodiscard]] const std::vector<BalanceMove>& moves() const { return moves_; }
    [[nodiscard]] BalanceSummary summary() const;

private:
    /// What the balancer knows of a thread beyond its record.
    struct Held {
        int home = 0;  ///< into nodes_, as the next
        int node = 0;
        std::int64_t since_ns = 0;
        std::uint64_t given = 0;  ///< hash of the affinity it had when it was last looked at
        bool is_foreign = false;  ///< somebody else set its affinity: left alone from then on
    };
    struct Candidates {
        std::vector<BalancedThread> threads;
        std::vector<RecordSlot> slots;  ///< parallel to threads
    };

    bool bring_load_up_to_date(ThreadTable& table, std::int64_t now_ns);
    [[nodiscard]] std::vector<int> running_per_node() const;
    [[nodiscard]] int load_of_cpu(int cpu) const;
    Candidates candidates(const ThreadTable& table, std::int64_t now_ns);
    [[nodiscard]] bool is_managed(const SharedRecord& record) const;
    Held& held(const SharedRecord& record, std::int64_t now_ns);
    [[nodiscard]] CpuSet nodes_within(const CpuMask& mask) const;
    [[nodiscard]] int idlest_cpu(int node, const CpuMask& mask) const;
    bool carry_out(ThreadTable& table, RecordSlot slot, const NodeMove& move, std::int64_t now_ns);
    bool give(ThreadTable& table, RecordSlot slot, const CpuMask& mask);
    void note(const ThreadTable& table, RecordSlot slot, const NodeMove& move, int cpu, std::int64_t now_ns);
    [[nodiscard]] int position_of_cpu(int cpu) const;

    SessionMemory memory_;
    DomainTree tree_;
    KeptCpus kept_;
    TaskAccess access_;
    int cross_node_bal_;
    std::vector<int> nodes_;  ///< OS indices of the nodes with CPUs the session may use
    std::vector<CpuSet> cpus_of_node_;
    NodeLoads loads_;
    std::map<int, Held> held_;  ///< by order of creation
    std::vector<BalanceMove> moves_;
    std::int64_t left_ = 0;
    std::int64_t returned_ = 0;
    int ended_away_ = 0;
    std::int64_t seen_refresh_ns_ = -1;
    std::int64_t last_round_ns_ = 0;
    std::int64_t cost_ns_ = 0;
};

}  // namespace pinwise
