#include "tests/lab/programs/kernel_domains.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include <fmt/core.h>

#include "placer/topology/cpu_list.hpp"

namespace pinwise::lab {

namespace {

/// The kernel's hexadecimal mask: words of 32 CPUs, the highest first, with commas between them.
CpuSet parse_mask(std::string mask) {
    std::erase(mask, ',');
    std::ranges::reverse(mask);
    CpuSet cpus;
    int cpu = 0;
    for (const char digit : mask) {
        const auto bits = std::stoul(std::string(1, digit), nullptr, 16);
        for (unsigned bit = 0; bit < 4; ++bit, ++cpu) {
            if ((bits >> bit & 1U) != 0) cpus.set(cpu);
        }
    }
    return cpus;
}

std::optional<bool> balances_fork(int cpu, std::size_t domain) {
    for (const char* folder : {"/sys/kernel/debug/sched/domains", "/proc/sys/kernel/sched_domain"}) {
        std::ifstream file(fmt::format("{}/cpu{}/domain{}/flags", folder, cpu, domain));
        const std::string flags(std::istreambuf_iterator<char>(file), {});
        if (!flags.empty()) return flags.find("SD_BALANCE_FORK") != std::string::npos;
    }
    return std::nullopt;
}

/// The mask in a "domainN [NAME] MASK ..." line; the name is there since version 17 of the file.
std::string mask_of(const std::string& line, bool has_name) {
    std::istringstream words(line);
    std::string word;
    for (int skipped = 0; skipped < (has_name ? 3 : 2); ++skipped)
        words >> word;
    return word;
}

}  // namespace

std::vector<std::vector<KernelDomain>> read_kernel_domains() {
    std::vector<std::vector<KernelDomain>> cpus;
    std::ifstream file("/proc/schedstat");
    bool has_name = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("version ")) has_name = std::stoi(line.substr(8)) >= 17;
        if (line.starts_with("cpu")) cpus.emplace_back();
        if (!line.starts_with("domain") || cpus.empty()) continue;
        auto& domains = cpus.back();
        const auto fork = balances_fork(static_cast<int>(cpus.size()) - 1, domains.size());
        if (!fork) return {};
        domains.push_back({.span = parse_mask(mask_of(line, has_name)), .balances_fork = *fork});
    }
    return cpus;
}

std::vector<KernelDomain> model_domains(const DomainTree& tree, int cpu) {
    std::vector<KernelDomain> domains;
    for (const int index : tree.domains_of(cpu)) {
        const SchedDomain& domain = tree.domain(index);
        domains.push_back({.span = tree.group(domain.span).span, .balances_fork = domain.balances_fork});
    }
    return domains;
}

std::string to_text(const std::vector<KernelDomain>& domains) {
    std::string text;
    for (const KernelDomain& domain : domains) {
        if (!text.empty()) text += ' ';
        text += format_cpu_list(domain.span) + (domain.balances_fork ? "" : "(no fork)");
    }
    return text;
}

}  // namespace pinwise::lab
