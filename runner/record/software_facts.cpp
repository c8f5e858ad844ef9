#include "runner/record/software_facts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

namespace pinwise {
namespace {

constexpr std::array<std::string_view, 62> telling_parameters{"acpi",
                                                              "amd_iommu",
                                                              "amd_pstate",
                                                              "apparmor",
                                                              "audit",
                                                              "cgroup_disable",
                                                              "clocksource",
                                                              "cpufreq.default_governor",
                                                              "cpuidle.off",
                                                              "default_hugepagesz",
                                                              "hpet",
                                                              "hugepages",
                                                              "hugepagesz",
                                                              "idle",
                                                              "init_on_alloc",
                                                              "init_on_free",
                                                              "intel_idle.max_cstate",
                                                              "intel_iommu",
                                                              "intel_pstate",
                                                              "iommu",
                                                              "irqaffinity",
                                                              "isolcpus",
                                                              "kernelcore",
                                                              "l1tf",
                                                              "maxcpus",
                                                              "mds",
                                                              "mem",
                                                              "mitigations",
                                                              "mmio_stale_data",
                                                              "movablecore",
                                                              "movable_node",
                                                              "nmi_watchdog",
                                                              "noapic",
                                                              "nohz",
                                                              "nohz_full",
                                                              "nokaslr",
                                                              "nopti",
                                                              "nosmt",
                                                              "nospectre_v1",
                                                              "nospectre_v2",
                                                              "nowatchdog",
                                                              "nr_cpus",
                                                              "numa",
                                                              "numa_balancing",
                                                              "page_alloc.shuffle",
                                                              "possible_cpus",
                                                              "preempt",
                                                              "processor.max_cstate",
                                                              "psi",
                                                              "pti",
                                                              "rcu_nocbs",
                                                              "retbleed",
                                                              "selinux",
                                                              "skew_tick",
                                                              "spec_store_bypass_disable",
                                                              "spectre_v2",
                                                              "spectre_v2_user",
                                                              "srbds",
                                                              "threadirqs",
                                                              "transparent_hugepage",
                                                              "tsc",
                                                              "tsx"};

constexpr std::array<std::string_view, 8> packages{"libc6",    "libfmt9",    "libgomp1",   "libhwloc15",
                                                   "libnuma1", "libomp5-14", "libstdc++6", "linux-image-amd64"};

/// The value of `Key: value` in a paragraph.
std::string_view field(std::string_view paragraph, std::string_view key) {
    const std::string wanted = fmt::format("\n{}: ", key);
    const std::size_t at = paragraph.find(wanted);
    if (at == std::string_view::npos) return {};
    const std::size_t begin = at + wanted.size();
    return paragraph.substr(begin, paragraph.find('\n', begin) - begin);
}

}  // namespace

KernelParameters kernel_parameters(std::string_view command_line) {
    KernelParameters result;
    std::istringstream words{std::string(command_line)};
    for (std::string word; words >> word;) {
        if (std::ranges::find(telling_parameters, std::string_view(word).substr(0, word.find('='))) ==
            telling_parameters.end()) {
            ++result.left_out;
        } else {
            result.kept += fmt::format("{}{}", result.kept.empty() ? "" : " ", word);
        }
    }
    return result;
}

Result<std::map<std::string, std::string>> package_versions(const SystemFiles& files) {
    const auto text = files.read("/var/lib/dpkg/status");
    if (!text) return tl::unexpected<Error>(text.error());
    std::map<std::string, std::string> versions;
    std::string_view rest = *text;
    while (!rest.empty()) {
        const std::string_view paragraph = rest.substr(0, rest.find("\n\n"));
        rest.remove_prefix(std::min(rest.size(), paragraph.size() + 2));
        constexpr std::string_view first = "Package: ";
        if (!paragraph.starts_with(first)) continue;
        const std::string_view name = paragraph.substr(first.size(), paragraph.find('\n') - first.size());
        if (std::ranges::find(packages, name) != packages.end()) versions.emplace(name, field(paragraph, "Version"));
    }
    return versions;
}

Result<std::string> container(const SystemFiles& files) {
    if (auto named = files.read("/run/systemd/container"); named && !named->empty()) return named;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> signs{
        {{"/.dockerenv", "docker"}, {"/run/.containerenv", "podman"}}};
    std::error_code error;
    for (const auto& [file, name] : signs)
        if (std::filesystem::exists(fmt::format("{}{}", files.root(), file), error)) return std::string(name);
    const auto environment = files.read("/proc/1/environ");
    constexpr std::string_view variable = "container=";
    if (environment) {
        const std::size_t at =
            environment->starts_with(variable) ? 0 : environment->find(std::string("\0", 1) + "container=");
        if (at != std::string::npos) {
            const std::size_t begin = environment->find('=', at) + 1;
            return environment->substr(begin, environment->find('\0', begin) - begin);
        }
    }
    return failure("no sign of one");
}

Result<std::string> distribution(const SystemFiles& files) {
    const auto text = files.read("/etc/os-release");
    if (!text) return text;
    constexpr std::string_view key = "PRETTY_NAME=\"";
    const std::size_t at = text->find(key);
    if (at == std::string::npos) return failure("/etc/os-release: no PRETTY_NAME");
    const std::size_t begin = at + key.size();
    return text->substr(begin, text->find('"', begin) - begin);
}

}  // namespace pinwise
