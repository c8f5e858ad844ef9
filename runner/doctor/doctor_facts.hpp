#pragma once
/// What `pinwise doctor` looks at, as plain data: what was asked of the machine and what it answered.

#include <cstdint>
#include <optional>
#include <string>

#include "placer/result.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

/// Things that were tried. An error is the refusal, in the words of whoever refused.
struct Permissions {
    Result<void> agent;          ///< the preload library is there
    Result<void> ptrace;         ///< a child can be followed
    Result<void> affinity;       ///< a thread can be bound
    Result<void> memory_policy;  ///< set_mempolicy and get_mempolicy
    Result<void> move_pages;     ///< at least asking where pages are
    Result<void> tracefs;        ///< sched_wakeup_new
    Result<void> perf;           ///< a counter of our own process
    Result<void> numa_balancing_writable;
};

struct DoctorFacts {
    Permissions may;
    std::string machine_kind;  ///< "physical", "virtual", "emulated"; "" when not known
    std::string container;     ///< "docker", ...; "" when there is no sign of one
    int cpus_online = 0;
    int cpus_allowed = 0;
    int cpu_nodes = 0;          ///< with CPUs that may be used
    bool caches_known = false;  ///< a last-level cache with a size
    std::uint64_t llc_bytes = 0;
    std::optional<std::string> governor;
    std::optional<std::string> boost;      ///< "1": on
    std::optional<std::string> turbo_off;  ///< "1": off
    std::optional<std::string> smt;        ///< "on", "off", "forceoff", "notsupported"
    std::optional<std::string> thp;        ///< "always", "madvise", "never"
    std::optional<std::string> numa_balancing;
    std::optional<std::string> cpu_max;     ///< of the control group: "max 100000"
    std::optional<std::string> memory_max;  ///< "max" or bytes
    std::optional<double> load_1_min;
    std::optional<double> cpu_pressure_percent;  ///< absent: no pressure stall information
    std::optional<std::uint64_t> memory_available_bytes;
};

/// Tries everything in Permissions on this machine. Changes nothing that outlives the call but the memory policy of
/// the calling thread, which becomes the kernel's default.
Permissions try_permissions();

/// `root` is "" for this machine, or a folder with proc/ and sys/ in it.
DoctorFacts doctor_facts(const Machine& machine, Permissions may, const std::string& root = "");

}  // namespace pinwise
