#include "workloads/npb/common/team_barrier.hpp"

#include <limits>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace pinwise::npb {

namespace {

constexpr std::uint32_t default_spin_rounds = 4096;

void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb");  // "yield" does nothing on most cores; this waits some ten cycles
#endif
}

}  // namespace

std::uint32_t spin_rounds_for(const workloads::ThreadTeam& team) {
    const std::string policy = workloads::omp_wait_policy();
    if (policy == "active") return std::numeric_limits<std::uint32_t>::max();
    if (policy == "passive" || team.threads.size() > team.allowed_cpus.size()) return 0;
    return default_spin_rounds;
}

void TeamBarrier::release(std::uint32_t next_phase) {
    // Sequentially consistent: notify_all looks next whether anyone sleeps. Were that load done before this store is
    // seen, a thread that goes to sleep in between would not be woken.
    phase_.store(next_phase, std::memory_order_seq_cst);
    phase_.notify_all();
}

void TeamBarrier::await_change_of(std::uint32_t phase) {
    for (std::uint32_t round = 0; round < spin_rounds_; ++round) {
        if (phase_.load(std::memory_order_acquire) != phase) return;
        pause_cpu();
    }
    phase_.wait(phase, std::memory_order_acquire);
}

}  // namespace pinwise::npb
