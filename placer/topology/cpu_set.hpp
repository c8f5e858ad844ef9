#pragma once
/// A set of CPU numbers (Linux logical CPUs, hwloc's PU OS indices) or of NUMA node numbers, without an upper bound.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace pinwise {

/// Grows as needed; trailing empty words never matter for equality. The questions (count, intersects, next) do not
/// allocate, so the policies may ask them while a thread is being born.
class CpuSet {
public:
    CpuSet() = default;
    CpuSet(std::initializer_list<int> cpus);
    /// Set of `cpus`, in any order. Negative numbers are a programming error.
    static CpuSet of(std::span<const int> cpus);
    /// {first, ..., last}, both included; empty when last < first.
    static CpuSet range(int first, int last);

    void set(int cpu);
    void clear(int cpu);
    [[nodiscard]] bool test(int cpu) const;

    [[nodiscard]] int count() const;
    [[nodiscard]] bool empty() const;
    /// Lowest member, -1 when empty.
    [[nodiscard]] int first() const;
    /// Highest member, -1 when empty.
    [[nodiscard]] int last() const;
    /// Lowest member greater than `cpu`, -1 when there is none. next(-1) == first().
    [[nodiscard]] int next(int cpu) const;

    [[nodiscard]] bool intersects(const CpuSet& other) const;
    /// popcount(*this AND other), without building the intersection.
    [[nodiscard]] int count_common(const CpuSet& other) const;
    /// Lowest member of both, -1 when there is none, without building the intersection.
    [[nodiscard]] int first_common(const CpuSet& other) const;
    [[nodiscard]] bool is_subset_of(const CpuSet& other) const;

    CpuSet& operator|=(const CpuSet& other);
    CpuSet& operator&=(const CpuSet& other);
    CpuSet& operator-=(const CpuSet& other);
    friend CpuSet operator|(CpuSet a, const CpuSet& b) { return a |= b; }
    friend CpuSet operator&(CpuSet a, const CpuSet& b) { return a &= b; }
    friend CpuSet operator-(CpuSet a, const CpuSet& b) { return a -= b; }
    friend bool operator==(const CpuSet& a, const CpuSet& b);

    /// Members in ascending order.
    [[nodiscard]] std::vector<int> to_vector() const;
    /// 64 CPUs a word, word 0 holds CPUs 0-63.
    [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }
    static CpuSet from_words(std::span<const std::uint64_t> words);

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace pinwise
