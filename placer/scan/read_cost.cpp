#include "placer/scan/read_cost.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

namespace pinwise {

namespace {

/// Beyond what a thread finds in caches, and quick to read.
constexpr std::size_t buffer_bytes = 64U << 20;
constexpr int rounds = 3;

}  // namespace

double measure_read_ns_per_byte() {
    std::vector<std::uint64_t> buffer(buffer_bytes / sizeof(std::uint64_t), 1);
    double best_ns = 0;
    std::uint64_t sum = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        sum = std::accumulate(buffer.begin(), buffer.end(), sum);
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
        best_ns = round == 0 ? took.count() : std::min(best_ns, took.count());
    }
    // The sum is needed, or the compiler would leave out the reading.
    return sum == 0 ? 0 : best_ns / static_cast<double>(buffer_bytes);
}

}  // namespace pinwise
