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

CpuMask CpuMask::only(int cpu) {
    CpuMask mask;
    mask.set(cpu);
    return mask;
}

CpuMask CpuMask::of(const CpuSet& cpus) {
    CpuMask mask;
    const auto words = cpus.words();
    std::copy_n(words.begin(), std::min(words.size(), mask.words_.size()), mask.words_.begin());
    return mask;
}

CpuMask CpuMask::of_bytes(const void* set, std::size_t bytes) {
    CpuMask mask;
    std::memcpy(mask.words_.data(), set, std::min(bytes, sizeof(mask.words_)));
    return mask;
}

// Raw system calls: the wrappers of libc know only their own fixed or allocated set types.
CpuMask CpuMask::of_thread(pid_t tid) {
    const int saved_errno = errno;
    CpuMask mask;
    if (syscall(SYS_sched_getaffinity, tid, sizeof(mask.words_), mask.words_.data()) < 0) mask = CpuMask{};
    errno = saved_errno;
    return mask;
}

bool CpuMask::apply_to(pid_t tid) const {
    const int saved_errno = errno;
    const bool applied = syscall(SYS_sched_setaffinity, tid, sizeof(words_), words_.data()) == 0;
    errno = saved_errno;
    return applied;
}

void CpuMask::set(int cpu) {
    if (in_range(cpu)) words_[word_of(cpu)] |= bit_of(cpu);
}

bool CpuMask::test(int cpu) const {
    return in_range(cpu) && (words_[word_of(cpu)] & bit_of(cpu)) != 0;
}

/// Without the zero words at the end, which are nearly all of them on most machines: these functions run several times
/// for every thread that is born.
std::span<const std::uint64_t> CpuMask::used_words() const {
    std::size_t used = words_.size();
    while (used > 0 && words_[used - 1] == 0)
        --used;
    return std::span(words_).first(used);
}

int CpuMask::count() const {
    int total = 0;
    for (const std::uint64_t word : used_words())
        total += std::popcount(word);
    return total;
}

int CpuMask::first() const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
        if (words_[i] != 0) return static_cast<int>(i * 64) + std::countr_zero(words_[i]);
    }
    return -1;
}

// FNV-1a over the words, folded: multiplication alone never carries the upper bits of a word down.
std::uint64_t CpuMask::hash() const {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const std::uint64_t word : used_words()) {
        hash = (hash ^ word) * 0x100000001b3U;
        hash ^= hash >> 32U;
    }
    return hash == 0 ? 1 : hash;
}

CpuSet CpuMask::to_cpu_set() const {
    return CpuSet::from_words(words_);
}

CpuMask& CpuMask::operator&=(const CpuMask& other) {
    for (std::size_t i = 0; i < words_.size(); ++i)
        words_[i] &= other.words_[i];
    return *this;
}

}  // namespace pinwise
