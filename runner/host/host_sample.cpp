#include "runner/host/host_sample.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "runner/trial/steady_time.hpp"

namespace pinwise {
namespace {

/// Fields of a line "cpuN ..." of /proc/stat, in ticks.
struct CpuTicks {
    double busy = 0;
    double stolen = 0;
};

std::optional<std::int64_t> whole_number(const Result<std::string>& text) {
    std::int64_t value = 0;
    if (!text || std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc{})
        return std::nullopt;
    return value;
}

CpuTicks parse_ticks(std::istringstream& words) {
    double user = 0;
    double nice = 0;
    double system = 0;
    double idle = 0;
    double iowait = 0;
    double irq = 0;
    double softirq = 0;
    CpuTicks ticks;
    words >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> ticks.stolen;
    ticks.busy = user + nice + system + irq + softirq;
    return ticks;
}

void add_cpu_times(const SystemFiles& files, const CpuSet& cpus, HostSample& sample) {
    const auto text = files.read("/proc/stat");
    if (!text) return;
    const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
        constexpr std::string_view prefix = "cpu";
        int cpu = -1;
        if (!line.starts_with(prefix)) break;  // the CPUs come first
        const char* const number = line.data() + prefix.size();
        if (std::from_chars(number, line.data() + line.size(), cpu).ec != std::errc{} || !cpus.test(cpu)) continue;
        std::istringstream words(line.substr(line.find(' ')));
        const CpuTicks ticks = parse_ticks(words);
        sample.busy_s = sample.busy_s.value_or(0) + ticks.busy / ticks_per_s;
        sample.stolen_s = sample.stolen_s.value_or(0) + ticks.stolen / ticks_per_s;
    }
}

/// nr_throttled of our control group.
std::optional<std::int64_t> quota_throttles(const SystemFiles& files) {
    const auto group = own_cgroup(files);
    if (!group) return std::nullopt;
    const auto text = files.read(*group + "/cpu.stat");
    if (!text) return std::nullopt;
    constexpr std::string_view key = "nr_throttled ";
    const std::size_t at = text->find(key);
    return at == std::string::npos ? std::nullopt : whole_number(text->substr(at + key.size()));
}

void add_throttle_events(const SystemFiles& files, const CpuSet& cpus, HostSample& sample) {
    const auto add = [&](const std::optional<std::int64_t>& count) {
        if (count) sample.throttle_events = sample.throttle_events.value_or(0) + *count;
    };
    add(quota_throttles(files));
    constexpr std::array<std::string_view, 2> counters{"core_throttle_count", "package_throttle_count"};
    for (int cpu = cpus.first(); cpu >= 0; cpu = cpus.next(cpu))
        for (const std::string_view counter : counters)
            add(whole_number(
                files.read(fmt::format("/sys/devices/system/cpu/cpu{}/thermal_throttle/{}", cpu, counter))));
}

}  // namespace

HostSample sample_host(const SystemFiles& files, const CpuSet& cpus) {
    HostSample sample;
    sample.at_ns = steady_now_ns();
    add_cpu_times(files, cpus, sample);
    add_throttle_events(files, cpus, sample);
    return sample;
}

HostUse host_use(const HostSample& before, const HostSample& after, double own_cpu_s, int cpus) {
    constexpr double least_s = 0.05;
    HostUse use;
    const double available_s = cpus * static_cast<double>(after.at_ns - before.at_ns) / ns_per_s;
    const auto share = [&](double cpu_s) { return cpu_s < least_s ? 0.0 : std::min(1.0, cpu_s / available_s); };
    if (available_s > 0 && before.busy_s && after.busy_s)
        use.others_share = share(*after.busy_s - *before.busy_s - own_cpu_s);
    if (available_s > 0 && before.stolen_s && after.stolen_s)
        use.stolen_share = share(*after.stolen_s - *before.stolen_s);
    if (before.throttle_events && after.throttle_events)
        use.throttle_events = std::max<std::int64_t>(0, *after.throttle_events - *before.throttle_events);
    return use;
}

}  // namespace pinwise
