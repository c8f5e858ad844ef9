#include "placer/agent/cpu_mask.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <sys/syscall.h>
#include <unistd.h>

namespace pinwise {

namespace {

std::size_t word_of(int cpu) {
    return static_cast<std::size_t>(cpu) / 64;
}
std::uint64_t bit_of(int cpu) {
    return std::uint64_t{1} << (static_cast<unsigned>(cpu) % 64);
}
bool in_range(int cpu) {
    return cpu >= 0 && cpu < max_session_cpus;
}

}  // namespace

CpuMask& CpuMask::operator=(const CpuMask& other) {
    const auto from = other.words();
    if (this != &other) std::ranges::copy(from, words_.begin());
    count_ = from.size();
    return *this;
}

CpuMask CpuMask::only(int cpu) {
    CpuMask mask;
    mask.set(cpu);
    return mask;
}

CpuMask CpuMask::of(const CpuSet& cpus) {
    CpuMask mask;
    const auto words = cpus.words();
    mask.count_ = std::min(words.size(), mask.words_.size());
    std::copy_n(words.begin(), mask.count_, mask.words_.begin());
    mask.trim();
    return mask;
}

CpuMask CpuMask::of_bytes(const void* set, std::size_t bytes) {
    CpuMask mask;
    const std::size_t taken = std::min(bytes, sizeof(mask.words_));
    mask.count_ = (taken + 7) / 8;
    if (mask.count_ > 0) mask.words_[mask.count_ - 1] = 0;
    std::memcpy(mask.words_.data(), set, taken);
    mask.trim();
    return mask;
}

// Raw system calls: the wrappers of libc know only their own fixed or allocated set types.
CpuMask CpuMask::of_thread(pid_t tid) {
    const int saved_errno = errno;
    CpuMask mask;
    const long bytes = syscall(SYS_sched_getaffinity, tid, sizeof(mask.words_), mask.words_.data());
    mask.count_ = bytes > 0 ? static_cast<std::size_t>(bytes) / 8 : 0;
    mask.trim();
    errno = saved_errno;
    return mask;
}

bool CpuMask::apply_to(pid_t tid) const {
    const int saved_errno = errno;
    const auto set = words();
    const bool applied = syscall(SYS_sched_setaffinity, tid, set.size_bytes(), set.data()) == 0;
    errno = saved_errno;
    return applied;
}

void CpuMask::set(int cpu) {
    if (!in_range(cpu)) return;
    const std::size_t word = word_of(cpu);
    for (; count_ <= word; ++count_)
        words_[count_] = 0;
    words_[word] |= bit_of(cpu);
}

bool CpuMask::test(int cpu) const {
    const auto set = words();
    return cpu >= 0 && word_of(cpu) < set.size() && (set[word_of(cpu)] & bit_of(cpu)) != 0;
}

std::span<const std::uint64_t> CpuMask::words() const {
    // In shared memory the count may be anything.
    return std::span(words_).first(std::min(count_, words_.size()));
}

void CpuMask::trim() {
    while (count_ > 0 && words_[count_ - 1] == 0)
        --count_;
}

int CpuMask::count() const {
    int total = 0;
    for (const std::uint64_t word : words())
        total += std::popcount(word);
    return total;
}

int CpuMask::first() const {
    const auto set = words();
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (set[i] != 0) return static_cast<int>(i * 64) + std::countr_zero(set[i]);
    }
    return -1;
}

// FNV-1a over the words, folded: multiplication alone never carries the upper bits of a word down.
std::uint64_t CpuMask::hash() const {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const std::uint64_t word : words()) {
        hash = (hash ^ word) * 0x100000001b3U;
        hash ^= hash >> 32U;
    }
    return hash == 0 ? 1 : hash;
}

CpuSet CpuMask::to_cpu_set() const {
    return CpuSet::from_words(words());
}

CpuMask& CpuMask::operator&=(const CpuMask& other) {
    const auto masks = other.words();
    count_ = std::min(words().size(), masks.size());
    for (std::size_t i = 0; i < count_; ++i)
        words_[i] &= masks[i];
    trim();
    return *this;
}

bool operator==(const CpuMask& a, const CpuMask& b) {
    return std::ranges::equal(a.words(), b.words());
}

}  // namespace pinwise
