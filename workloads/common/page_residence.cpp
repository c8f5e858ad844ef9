#include "workloads/common/page_residence.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/core.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pinwise::workloads {

namespace {

/// Every `stride`-th page of the ranges taken as one sequence.
std::vector<void*> sampled_pages(std::span<const MemoryRange> ranges, std::uint64_t page_bytes,
                                 std::size_t most_samples) {
    std::uint64_t total_bytes = 0;
    for (const auto& range : ranges)
        total_bytes += range.size();
    const std::uint64_t pages = total_bytes / page_bytes + ranges.size();
    const std::uint64_t stride_bytes =
        std::max<std::uint64_t>(1, (pages + most_samples - 1) / most_samples) * page_bytes;
    std::vector<void*> samples;
    for (const auto& range : ranges)
        // The kernel takes any address in a page. It only reads them, whatever the type of its parameter says.
        for (std::uint64_t offset = 0; offset < range.size(); offset += stride_bytes)
            samples.push_back(const_cast<std::byte*>(range.data() + offset));
    return samples;
}

bool overlaps(const MemoryRange& range, std::uintptr_t first, std::uintptr_t last) {
    const auto start = reinterpret_cast<std::uintptr_t>(range.data());
    return !range.empty() && start < last && start + range.size() > first;
}

}  // namespace

Expected<NodePages> sample_node_pages(std::span<const MemoryRange> ranges, std::size_t most_samples) {
    auto samples = sampled_pages(ranges, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)), most_samples);
    NodePages pages;
    if (samples.empty()) return pages;
    std::vector<int> status(samples.size(), -EFAULT);
    if (syscall(SYS_move_pages, 0, samples.size(), samples.data(), nullptr, status.data(), 0) < 0)
        return failed_run(fmt::format("move_pages query: {}", std::strerror(errno)));
    for (const int node : status)
        if (node >= 0) ++pages[node];
    return pages;
}

Expected<std::uint64_t> anon_huge_bytes(std::span<const MemoryRange> ranges, const std::string& smaps) {
    std::ifstream file(smaps);
    if (!file) return failed_run(fmt::format("cannot read {}", smaps));
    std::string line;
    bool is_ours = false;
    std::uint64_t bytes = 0;
    while (std::getline(file, line)) {
        unsigned long first = 0;
        unsigned long last = 0;
        unsigned long kib = 0;
        // A mapping's first line begins with its addresses, the lines about it with a word and a colon.
        if (std::istringstream words(line); line.find('-') < line.find(' ')) {
            char dash = '\0';
            if (words >> std::hex >> first >> dash >> last)
                is_ours = std::any_of(ranges.begin(), ranges.end(),
                                      [&](const MemoryRange& range) { return overlaps(range, first, last); });
        } else if (std::string key; is_ours && words >> key >> kib && key == "AnonHugePages:") {
            bytes += std::uint64_t{kib} * 1024;
        }
    }
    return bytes;
}

}  // namespace pinwise::workloads
