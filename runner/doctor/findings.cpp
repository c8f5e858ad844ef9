#include "runner/doctor/findings.hpp"

#include <array>

#include <fmt/format.h>

#include "runner/trial/labels.hpp"

namespace pinwise {
namespace {

Finding fine(std::string_view name, std::string found) {
    return {name, FindingState::fine, std::move(found), "", ""};
}
Finding lacking(std::string_view name, std::string found, std::string lacks, std::string permit) {
    return {name, FindingState::lacking, std::move(found), std::move(lacks), std::move(permit)};
}
Finding unknown(std::string_view name, std::string found, std::string lacks) {
    return {name, FindingState::unknown, std::move(found), std::move(lacks), ""};
}

/// Something that was tried.
Finding permitted(std::string_view name, const Result<void>& answer, std::string_view when_fine, std::string lacks,
                  std::string permit) {
    if (answer) return fine(name, std::string(when_fine));
    return lacking(name, answer.error().message, std::move(lacks), std::move(permit));
}

Finding agent(const DoctorFacts& facts) {
    return permitted("agent", facts.may.agent, "the preload library is there: threads are placed before they run",
                     "no strategy but os can run", "complete the build or the installation, or set PINWISE_AGENT");
}

Finding affinity(const DoctorFacts& facts) {
    return permitted("affinity", facts.may.affinity, "threads can be bound", "threads cannot be placed at all",
                     "a container profile forbids it: docker run --security-opt seccomp=unconfined ...");
}

Finding cpus(const DoctorFacts& facts) {
    const std::string found = fmt::format("{} of {} online CPUs are allowed", facts.cpus_allowed, facts.cpus_online);
    if (facts.cpus_allowed == facts.cpus_online) return fine("cpus", found);
    return lacking("cpus", found + " (cpuset, container or affinity)",
                   "placement is compared within the allowed CPUs only",
                   "start pinwise with more: taskset -c 0-N pinwise ..., docker run --cpuset-cpus=0-N ..., systemd-run "
                   "-p AllowedCPUs=0-N ...");
}

Finding nodes(const DoctorFacts& facts) {
    if (facts.cpu_nodes > 1) return fine("nodes", fmt::format("{} NUMA nodes with allowed CPUs", facts.cpu_nodes));
    return lacking(
        "nodes", "one NUMA node with allowed CPUs",
        "no strategy can differ in which node threads and pages are on (label one-node)",
        "another machine; or see what would happen: bash tests/lab/demo.sh, pinwise place --topology FILE.xml");
}

Finding caches(const DoctorFacts& facts) {
    if (facts.caches_known)
        return fine("caches",
                    fmt::format("{:.1f} MiB of last-level caches", static_cast<double>(facts.llc_bytes) / (1 << 20)));
    return lacking("caches", "no cache is reported",
                   "cores are taken for caches, and STREAM's arrays have an assumed size",
                   "give the sizes: pinwise run --set llc_bytes=32MiB");
}

Finding machine(const DoctorFacts& facts) {
    if (facts.machine_kind == "physical") return fine("machine", "physical");
    if (facts.machine_kind == "virtual")
        return lacking("machine", "virtual: a hypervisor moves the CPUs",
                       "the topology shown may not be the one underneath (label topology-moved, by the latency between "
                       "neighbours)",
                       "pin the virtual CPUs on the host: virsh vcpupin GUEST VCPU CPU");
    if (facts.machine_kind == "emulated")
        return lacking("machine", "emulated: instructions are interpreted",
                       "times and rates are no measurement (label emulated-machine); placement and migrations are",
                       "a machine with hardware virtualisation: qemu -accel kvm");
    return unknown("machine", "not known whether it is physical", "virtual machines are not told apart");
}

Finding container(const DoctorFacts& facts) {
    if (facts.container.empty()) return fine("container", "no sign of one");
    return unknown("container", facts.container, "what it forbids is named at each point");
}

Finding cpu_quota(const DoctorFacts& facts) {
    if (!facts.cpu_max) return unknown("cpu-quota", "no cpu.max of a control group", "a quota would not be seen");
    if (facts.cpu_max->starts_with("max")) return fine("cpu-quota", "no limit");
    return lacking("cpu-quota", "cpu.max " + *facts.cpu_max,
                   "CPUs are taken away when the quota is used up (label throttled)",
                   "docker run without --cpus, or systemctl set-property UNIT CPUQuota=");
}

Finding memory_limit(const DoctorFacts& facts) {
    if (!facts.memory_max)
        return unknown("memory-limit", "no memory.max of a control group", "a limit would not be seen");
    if (*facts.memory_max == "max") return fine("memory-limit", "no limit");
    return lacking("memory-limit", fmt::format("memory.max {} bytes", *facts.memory_max),
                   "a workload that needs more is killed",
                   "docker run --memory=..., or systemctl set-property UNIT MemoryMax=");
}

Finding memory(const DoctorFacts& facts) {
    if (!facts.memory_available_bytes) return unknown("memory", "MemAvailable is not told", "sizes cannot be checked");
    const auto available_gib = static_cast<double>(*facts.memory_available_bytes) / (1 << 30);
    const auto needed = static_cast<double>(facts.llc_bytes) * 3 * least_llc_ratio;
    if (static_cast<double>(*facts.memory_available_bytes) >= needed)
        return fine("memory", fmt::format("{:.1f} GiB available", available_gib));
    return lacking("memory",
                   fmt::format("{:.1f} GiB available, three arrays of 4 times the caches need {:.1f} GiB",
                               available_gib, needed / (1 << 30)),
                   "STREAM measures caches (label small-arrays)",
                   "stop what uses the memory: ps --sort=-rss -eo rss,comm | head");
}

Finding load(const DoctorFacts& facts) {
    if (!facts.load_1_min && !facts.cpu_pressure_percent)
        return unknown("load", "neither load nor pressure is told", "a busy host is not seen before the trials");
    const std::string found = fmt::format(
        "load {}, somebody waits for a CPU {} of the time",
        facts.load_1_min ? fmt::format("{:g}", *facts.load_1_min) : "unknown",
        facts.cpu_pressure_percent ? fmt::format("{:g} %", *facts.cpu_pressure_percent) : "an unknown part");
    if (!is_busy(facts.load_1_min, facts.cpu_pressure_percent, facts.cpus_online)) return fine("load", found);
    return lacking("load", found, "other work disturbs the trials (labels busy-at-start, busy)",
                   "stop what runs, or wait: ps --sort=-pcpu -eo pcpu,comm | head");
}

Finding pressure(const DoctorFacts& facts) {
    if (facts.cpu_pressure_percent) return fine("pressure", "pressure stall information is there");
    return lacking("pressure", "no /proc/pressure", "a busy host is known by its load only", "boot with psi=1");
}

Finding governor(const DoctorFacts& facts) {
    if (!facts.governor)
        return unknown("governor", "no cpufreq", "whether the clock changes during a trial is not known");
    if (*facts.governor == "performance") return fine("governor", *facts.governor);
    return lacking("governor", *facts.governor, "the clock rises and falls with the load",
                   "sudo cpupower frequency-set -g performance");
}

Finding boost(const DoctorFacts& facts) {
    constexpr std::string_view lacks = "the clock depends on temperature and on how many cores work";
    if (facts.turbo_off) {
        if (*facts.turbo_off == "1") return fine("boost", "off");
        return lacking("boost", "on", std::string(lacks),
                       "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo");
    }
    if (!facts.boost) return unknown("boost", "not told", "whether the clock depends on temperature is not known");
    if (*facts.boost == "0") return fine("boost", "off");
    return lacking("boost", "on", std::string(lacks), "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
}

Finding smt(const DoctorFacts& facts) {
    if (!facts.smt) return unknown("smt", "not told", "whether CPUs share cores is known by the topology only");
    return fine("smt", *facts.smt == "on" ? "on: CPUs share cores, one-per-core leaves siblings free" : *facts.smt);
}

Finding huge_pages(const DoctorFacts& facts) {
    if (!facts.thp) return unknown("huge-pages", "no transparent huge pages", "workloads run on small pages");
    if (*facts.thp != "never") return fine("huge-pages", *facts.thp);
    return lacking("huge-pages", "never", "workloads run on small pages: 5 to 20 % less bandwidth",
                   "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
}

Finding memory_policy(const DoctorFacts& facts) {
    return permitted("memory-policy", facts.may.memory_policy, "pages can be bound and interleaved",
                     "memory = \"interleave\" and the like have no effect (column mem_policy)",
                     "docker run --cap-add SYS_NICE ..., or a kernel with CONFIG_NUMA");
}

Finding move_pages(const DoctorFacts& facts) {
    return permitted("move-pages", facts.may.move_pages, "where pages are can be asked",
                     "where pages are is not recorded, and pages cannot be migrated",
                     "docker run --cap-add SYS_NICE ..., or a kernel with CONFIG_NUMA and CONFIG_MIGRATION");
}

Finding numa_balancing(const DoctorFacts& facts) {
    if (!facts.numa_balancing)
        return unknown("numa-balancing", "the kernel has none", "there is no kernel migration to compare with");
    const std::string found = fmt::format("kernel.numa_balancing is {}", *facts.numa_balancing);
    if (facts.may.numa_balancing_writable) return fine("numa-balancing", found + ", and can be set");
    return lacking("numa-balancing", fmt::format("{}; {}", found, facts.may.numa_balancing_writable.error().message),
                   "the kernel's page migration stays as it is",
                   "sudo sysctl kernel.numa_balancing=1 (or 0) before the run");
}

Finding ptrace(const DoctorFacts& facts) {
    return permitted("ptrace", facts.may.ptrace, "static programs can be followed",
                     "statically linked programs and Go are not placed",
                     "docker run --cap-add SYS_PTRACE ..., or sudo sysctl kernel.yama.ptrace_scope=1");
}

Finding tracefs(const DoctorFacts& facts) {
    return permitted("tracefs", facts.may.tracefs, "the CPU the scheduler chose for each new thread is known",
                     "under os a thread's first CPU is its own first look, which understates pile-ups",
                     "sudo pinwise run ...; where it is not mounted: sudo mount -t tracefs nodev /sys/kernel/tracing");
}

Finding perf(const DoctorFacts& facts) {
    return permitted("perf", facts.may.perf, "hardware counters can be read", "hardware counters cannot be read",
                     "sudo sysctl kernel.perf_event_paranoid=1; in a virtual machine its CPU needs a PMU (qemu -cpu "
                     "host,pmu=on)");
}

constexpr std::array checks{agent,          affinity,  cpus,         nodes,      caches,        machine,
                            container,      cpu_quota, memory_limit, memory,     load,          pressure,
                            governor,       boost,     smt,          huge_pages, memory_policy, move_pages,
                            numa_balancing, ptrace,    tracefs,      perf};

}  // namespace

std::string_view to_string(FindingState state) {
    switch (state) {
        case FindingState::fine:
            return "fine";
        case FindingState::lacking:
            return "lacking";
        case FindingState::unknown:
            break;
    }
    return "unknown";
}

std::vector<Finding> examine(const DoctorFacts& facts) {
    std::vector<Finding> findings;
    for (const auto check : checks)
        findings.push_back(check(facts));
    return findings;
}

}  // namespace pinwise
