#include "runner/trial/numa_vmstat.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

namespace pinwise {

namespace {

constexpr std::array<std::string_view, vmstat_counter_count> names{
    "numa_local",          "numa_pte_updates",  "numa_huge_pte_updates", "numa_hint_faults", "numa_hint_faults_local",
    "numa_pages_migrated", "pgmigrate_success", "pgmigrate_fail",
};

std::optional<std::uint64_t> value_in(std::string_view line, std::string_view name) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ' ') return std::nullopt;
    line.remove_prefix(name.size() + 1);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc{} || end != line.data() + line.size()) return std::nullopt;
    return value;
}

}  // namespace

std::string_view to_string(VmstatCounter counter) {
    return names.at(static_cast<std::size_t>(counter));
}

NumaVmstat parse_vmstat(std::string_view text) {
    NumaVmstat vmstat;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
        for (std::size_t i = 0; i < names.size(); ++i)
            if (const auto value = value_in(line, names[i])) vmstat[i] = value;
    }
    return vmstat;
}

NumaVmstat read_vmstat() {
    const std::ifstream file("/proc/vmstat");
    std::stringstream text;
    text << file.rdbuf();
    return parse_vmstat(text.view());
}

NumaVmstat operator-(const NumaVmstat& later, const NumaVmstat& earlier) {
    NumaVmstat difference;
    for (std::size_t i = 0; i < difference.size(); ++i)
        if (later[i] && earlier[i] && *later[i] >= *earlier[i]) difference[i] = *later[i] - *earlier[i];
    return difference;
}

}  // namespace pinwise
