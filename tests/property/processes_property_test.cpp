/// N single-threaded processes of one session land as N threads would.

#include <algorithm>

#include <gtest/gtest.h>
#include <unistd.h>

#include "placer/agent/session_lock.hpp"
#include "placer/agent/thread_placer.hpp"
#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/cpu_list.hpp"
#include "tests/machines.hpp"
#include "tests/unit/placer/agent/test_session.hpp"

namespace pinwise {
namespace {

std::vector<int> as_threads(const DomainTree& tree, std::string_view policy, int threads, const CpuSet& allowed,
                            int waker) {
    const auto plan = make_plan(tree, *make_policy(policy).value(), {threads, allowed, waker}, Reasons::drop).value();
    std::vector<int> cpus;
    for (const Placement& placement : plan.threads)
        cpus.push_back(placement.cpu);
    std::ranges::sort(cpus);
    return cpus;
}

/// A launcher on `waker` that forks them and then waits.
std::vector<int> as_processes(const Machine& machine, std::string_view policy, int processes, const CpuSet& allowed,
                              int waker) {
    const auto placer = ThreadPlacer::create(make_memory(machine, allowed, policy)).value();
    const CpuMask mask = CpuMask::of(allowed);
    const auto launcher = placer->begin_process({.pid = getpid(), .waker = waker, .mask = mask, .slot = {}});
    {
        const SessionLock lock(placer->memory().header());
        placer->table().count_at(launcher->slot, waker);
    }
    std::vector<int> cpus;
    for (int process = 0; process < processes; ++process) {
        const auto birth = placer->begin_process({.pid = getpid(),
                                                  .waker = waker,
                                                  .mask = mask,
                                                  .slot = {},
                                                  .forked_by = launcher->slot,
                                                  .parent_pid = getpid()});
        cpus.push_back(birth.value().cpu);
    }
    std::ranges::sort(cpus);
    return cpus;
}

TEST(ProcessesOfASession, LandAsThreadsWould) {
    for (const char* source :
         {test::zen3_nps1, test::zen3_nps4, test::skylake_evenodd, test::sapphire_rapids_snc4, test::two_small_nodes}) {
        const Machine machine = test::load(source);
        const DomainTree tree = DomainTree::build(machine);
        const int cores = static_cast<int>(machine.cores.size());
        CpuSet half;
        for (const int cpu : tree.cpus().to_vector())
            if (cpu % 2 == 0) half.set(cpu);
        for (const CpuSet& allowed : {tree.cpus(), half}) {
            for (const char* policy : {"llc", "idlest", "node"}) {
                for (const int count : {1, 2, static_cast<int>(machine.llcs.size()), cores / 2, cores}) {
                    EXPECT_EQ(as_processes(machine, policy, count, allowed, allowed.first()),
                              as_threads(tree, policy, count, allowed, allowed.first()))
                        << count << " with " << policy << " on " << source << ", CPUs " << format_cpu_list(allowed);
                }
            }
        }
    }
}

}  // namespace
}  // namespace pinwise
