#pragma once
/// One session: a launched program and all its processes and threads, sharing one load view and one record.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "placer/agent/thread_record.hpp"
#include "placer/result.hpp"
#include "placer/scan/scan_record.hpp"
#include "placer/scan/scan_settings.hpp"
#include "placer/topology/cpu_set.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

class SessionMemory;

/// What a thread may do after its first CPU was chosen.
enum class Bind : std::uint32_t {
    initial,  ///< the full allowed mask is restored when it starts: the kernel may rebalance
    cpu,      ///< it stays on its CPU
    llc,      ///< it stays on the allowed CPUs that share its CPU's last-level cache
    node,     ///< it stays on the allowed CPUs of its CPU's NUMA node; its LLC where the CPU belongs to no node
};

Result<Bind> parse_bind(std::string_view text);
std::string_view to_string(Bind bind);

struct SessionOptions {
    std::string policy = "idlest";  ///< as make_policy() takes it; "os" only records
    Bind bind = Bind::initial;
    CpuSet allowed;             ///< CPUs the session may use
    bool force = false;         ///< affinities the program sets are overridden: it is told success, and nothing changes
    bool count_others = false;  ///< runnable threads of other programs count as load too
    ScanSettings scan{};        ///< page-migration scanning inside the program
    bool scan_anyway = false;   ///< scan also where nothing can move: what it costs, and tests
    int skipped_births = 0;     ///< the first threads that each process creates and that are left to the kernel
    int cross_node_bal = 0;     ///< percent, of the balancer that the owner will run (home_cpu.hpp); 0: none
};

/// Owner of the session's shared memory. The memory has no name in any file system (a memfd that processes of the
/// session open through the owner), so nothing is left behind however the program or the owner ends.
class Session {
public:
    /// Errors: a policy that does not exist (usage), no shared memory or no agent library found (failure).
    static Result<Session> create(const Machine& machine, const SessionOptions& options);
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    /// NAME=VALUE strings that make a program join the session: LD_PRELOAD (what is there already is kept behind it)
    /// and the address of the shared memory.
    [[nodiscard]] std::vector<std::string> environment() const;

    /// Another mapping of the session's memory, for a placer that works in the owner's own process.
    [[nodiscard]] Result<SessionMemory> map_memory() const;

    /// All threads so far, by index. Safe while the program runs and after it crashed.
    [[nodiscard]] std::vector<ThreadRecord> threads() const;
    /// Threads that found no free record (the session holds 65536 live or recent ones).
    [[nodiscard]] std::uint64_t threads_not_recorded() const;
    /// What scanning did so far, in all processes.
    [[nodiscard]] ScanRecord scan() const;
    /// Looks at every live thread once (state, CPU, migrations), as the agent does when a thread is created, so that
    /// the record of a program that is killed is fresh. With count_others, looks at other programs too.
    void observe();
    /// With count_others, looks at other programs; paces itself, so it may be called at any rate.
    void observe_others();

private:
    struct Impl;
    explicit Session(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace pinwise
