#include "placer/scan/read_cost.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <span>

#include <sys/mman.h>

#include "placer/scan/page_size.hpp"

namespace pinwise {

namespace {

/// Beyond what a thread finds in caches, and quick to read.
constexpr std::size_t buffer_bytes = 64U << 20;
constexpr int rounds = 2;
/// Where there is no memory to measure with: of one thread on machines of today.
constexpr double typical_ns_per_byte = 0.1;

/// Present, and huge pages where there are any, so that it costs little to get.
class Buffer {
public:
    Buffer()
        : start_(
              mmap(nullptr, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (start_ == MAP_FAILED) return;
        madvise(start_, buffer_bytes, MADV_HUGEPAGE);
        for (std::size_t at = 0; at < buffer_bytes; at += page_bytes)
            static_cast<char*>(start_)[at] = 1;
    }
    ~Buffer() {
        if (start_ != MAP_FAILED) munmap(start_, buffer_bytes);
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Buffer(Buffer&&) = delete;
    Buffer& operator=(Buffer&&) = delete;

    /// Empty: there was no memory for it.
    [[nodiscard]] std::span<const std::uint64_t> words() const {
        if (start_ == MAP_FAILED) return {};
        return {static_cast<const std::uint64_t*>(start_), buffer_bytes / sizeof(std::uint64_t)};
    }

private:
    void* start_;
};

}  // namespace

double measure_read_ns_per_byte() {
    const Buffer buffer;
    const auto words = buffer.words();
    if (words.empty()) return typical_ns_per_byte;
    double best_ns = 0;
    std::uint64_t sum = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        sum = std::accumulate(words.begin(), words.end(), sum);
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
        best_ns = round == 0 ? took.count() : std::min(best_ns, took.count());
    }
    // The sum is needed, or the compiler would leave out the reading.
    return sum == 0 ? 0 : best_ns / static_cast<double>(buffer_bytes);
}

}  // namespace pinwise
