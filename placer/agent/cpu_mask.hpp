#pragma once
/// An affinity mask of fixed size, for code that runs while a thread is born or ends and must not allocate.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <sys/types.h>

#include "placer/topology/cpu_set.hpp"

namespace pinwise {

/// CPUs a session can handle: the largest NR_CPUS a distribution kernel is built with.
inline constexpr int max_session_cpus = 8192;

/// CPUs 0 to max_session_cpus - 1, in the kernel's bit order. Costs what its highest member costs: the words behind are
/// neither set, copied nor compared, because several masks are handled for every thread that is born. May lie in memory
/// that others write to.
class CpuMask {
public:
    // Only the first count_ words have a value; a defaulted constructor would have `CpuMask{}` clear them all.
    // NOLINTBEGIN(cppcoreguidelines-pro-type-member-init,modernize-use-equals-default)
    CpuMask() {}
    CpuMask(const CpuMask& other) { *this = other; }
    // NOLINTEND(cppcoreguidelines-pro-type-member-init,modernize-use-equals-default)
    CpuMask& operator=(const CpuMask& other);
    ~CpuMask() = default;

    static CpuMask only(int cpu);
    /// Members beyond max_session_cpus are left out.
    static CpuMask of(const CpuSet& cpus);
    /// From a set in the kernel's layout, cpu_set_t for one. Members beyond max_session_cpus are left out.
    static CpuMask of_bytes(const void* set, std::size_t bytes);
    /// The affinity of a thread (0: the calling one); empty when it cannot be read. Leaves errno alone.
    static CpuMask of_thread(pid_t tid);

    /// Makes it the affinity of a thread (0: the calling one); false when the kernel refuses. Leaves errno alone.
    [[nodiscard]] bool apply_to(pid_t tid) const;

    void set(int cpu);
    [[nodiscard]] bool test(int cpu) const;
    [[nodiscard]] int count() const;
    [[nodiscard]] bool empty() const { return words().empty(); }
    /// Lowest member, -1 when empty.
    [[nodiscard]] int first() const;
    /// Never 0, so that 0 can stand for "no mask".
    [[nodiscard]] std::uint64_t hash() const;
    [[nodiscard]] CpuSet to_cpu_set() const;
    /// Up to the one with the highest member.
    [[nodiscard]] std::span<const std::uint64_t> words() const;

    CpuMask& operator&=(const CpuMask& other);
    friend bool operator==(const CpuMask& a, const CpuMask& b);

private:
    using Words = std::array<std::uint64_t, max_session_cpus / 64>;

    /// Leaves out zero words at the end.
    void trim();

    std::size_t count_ = 0;  ///< words in use; the last one is not zero
    Words words_;
};

}  // namespace pinwise
