#pragma once
/// What the host did while a trial ran: CPU time that went to others, and throttling.

#include <cstdint>
#include <optional>

#include "placer/topology/cpu_set.hpp"
#include "runner/record/system_files.hpp"

namespace pinwise {

/// Counters of the host at one moment; absent where the kernel does not tell.
struct HostSample {
    std::int64_t at_ns = 0;          ///< CLOCK_MONOTONIC
    std::optional<double> busy_s;    ///< CPU time that was used on the CPUs, by anybody (/proc/stat)
    std::optional<double> stolen_s;  ///< CPU time the hypervisor took from them
    std::optional<std::int64_t>
        throttle_events;  ///< of these CPUs (temperature, power) and of our control group (quota)
};

HostSample sample_host(const SystemFiles& files, const CpuSet& cpus);

/// Of the time of the trial's CPUs.
struct HostUse {
    std::optional<double> others_share;
    std::optional<double> stolen_share;
    std::optional<std::int64_t> throttle_events;
};

/// The kernel counts in ticks, so what is less than 50 ms of CPU time is taken for nothing. `own_cpu_s` is what the
/// trial used itself. Pure.
HostUse host_use(const HostSample& before, const HostSample& after, double own_cpu_s, int cpus);

}  // namespace pinwise
