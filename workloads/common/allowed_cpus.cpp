#include "workloads/common/allowed_cpus.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <numeric>

#include <sched.h>

namespace pinwise::workloads {

namespace {

constexpr int largest_index = 1 << 20;

std::optional<int> parse_index(std::string_view text) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || value < 0 || value > largest_index) return std::nullopt;
    return value;
}

}  // namespace

std::vector<int> allowed_cpus() {
    // The kernel refuses (EINVAL) a mask narrower than its own: widen until it fits.
    for (int width = 1024; width <= largest_index; width *= 2) {
        const CpuSetPointer set(CPU_ALLOC(static_cast<std::size_t>(width)));
        const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(width));
        CPU_ZERO_S(bytes, set.get());
        if (sched_getaffinity(0, bytes, set.get()) != 0) {
            if (errno == EINVAL) continue;
            return {};
        }
        std::vector<int> cpus;
        for (int cpu = 0; cpu < width; ++cpu)
            if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set.get())) cpus.push_back(cpu);
        return cpus;
    }
    return {};
}

std::optional<std::vector<int>> parse_kernel_list(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\0'))
        text.remove_suffix(1);
    std::vector<int> numbers;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        if (comma != std::string_view::npos && comma + 1 == text.size()) return std::nullopt;
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
        const auto dash = item.find('-');
        const auto first = parse_index(item.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : parse_index(item.substr(dash + 1));
        if (!first || !last || *last < *first) return std::nullopt;
        const std::size_t old_size = numbers.size();
        numbers.resize(old_size + static_cast<std::size_t>(*last - *first) + 1);
        std::iota(numbers.begin() + static_cast<std::ptrdiff_t>(old_size), numbers.end(), *first);
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

}  // namespace pinwise::workloads
