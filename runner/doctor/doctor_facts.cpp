#include "runner/doctor/doctor_facts.hpp"

#include <utility>

#include <fmt/format.h>

#include "runner/record/machine_state.hpp"
#include "runner/record/software_facts.hpp"
#include "runner/record/system_files.hpp"

namespace pinwise {
namespace {

std::optional<std::string> known(const Result<std::string>& value) {
    return value ? std::optional(*value) : std::nullopt;
}

/// "16434 kB" of /proc/meminfo.
std::optional<std::uint64_t> bytes_of(const Result<std::string>& kilobytes) {
    const auto value = kilobytes ? leading_number(*kilobytes) : std::nullopt;
    return value ? std::optional(static_cast<std::uint64_t>(*value) << 10) : std::nullopt;
}

void add_machine(const Machine& machine, DoctorFacts& facts) {
    facts.cpus_online = machine.online.count();
    facts.cpus_allowed = machine.allowed.count();
    for (const Node& node : machine.nodes)
        facts.cpu_nodes += node.cpus.intersects(machine.allowed) ? 1 : 0;
    for (const Llc& llc : machine.llcs)
        if (llc.cpus.intersects(machine.allowed)) facts.llc_bytes += llc.size_bytes;
    facts.caches_known = facts.llc_bytes > 0;
}

}  // namespace

DoctorFacts doctor_facts(const Machine& machine, Permissions may, const std::string& root) {
    const SystemFiles files(root);
    DoctorFacts facts;
    facts.may = std::move(may);
    add_machine(machine, facts);
    facts.machine_kind = machine_kind(files).value_or("");
    facts.container = container(files).value_or("");
    facts.governor = known(governors(machine, files));
    facts.boost = known(files.read("/sys/devices/system/cpu/cpufreq/boost"));
    facts.turbo_off = known(files.read("/sys/devices/system/cpu/intel_pstate/no_turbo"));
    facts.smt = known(files.read("/sys/devices/system/cpu/smt/control"));
    facts.thp = known(chosen_word(files.read("/sys/kernel/mm/transparent_hugepage/enabled")));
    facts.numa_balancing = known(files.read("/proc/sys/kernel/numa_balancing"));
    if (const auto group = own_cgroup(files)) {
        facts.cpu_max = known(files.read(*group + "/cpu.max"));
        facts.memory_max = known(files.read(*group + "/memory.max"));
    }
    if (const auto load = files.read("/proc/loadavg")) facts.load_1_min = leading_number(*load);
    if (const auto pressure = files.read("/proc/pressure/cpu"))
        facts.cpu_pressure_percent = number_behind(*pressure, "some avg10=");
    facts.memory_available_bytes = bytes_of(files.field("/proc/meminfo", "MemAvailable"));
    return facts;
}

}  // namespace pinwise
