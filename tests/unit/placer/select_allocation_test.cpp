/// The agent calls select() inside pthread_create: no policy may allocate there. A program of its own, because it
/// replaces operator new.

#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "placer/policy/policies.hpp"
#include "tests/machines.hpp"

namespace {
long allocations = 0;
}

// Not inlined: gcc would take the pair apart and find that memory of new goes to free().
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace pinwise {
namespace {

TEST(Select, NeverAllocatesWithoutAnExplanation) {
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps4));
    const CpuSet narrow = CpuSet::range(5, 40) | CpuSet{200, 201};
    for (const PolicyInfo& info : list_policies()) {
        if (info.name == "os" || info.name == "idlest@running") continue;
        const auto policy = make_policy(info.name == "explicit:LIST"   ? "explicit:5,6"
                                        : info.name == "random[:SEED]" ? "random:1"
                                                                       : info.name)
                                .value();
        LoadView load(tree);
        const long before = allocations;
        for (int thread = 0; thread < 120; ++thread) {
            // The mask changes back and forth, as with a program that narrows some of its threads.
            const CpuSet& allowed = thread % 3 == 2 ? narrow : tree.cpus();
            load.add(policy->select({tree, load, allowed, 7, thread, -1}, nullptr));
        }
        EXPECT_EQ(allocations, before) << info.name;
    }
}

}  // namespace
}  // namespace pinwise
