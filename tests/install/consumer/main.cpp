// A program of somebody else that uses the placer library through find_package(pinwise).
#include <cstdio>

#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/load_machine.hpp"

int main() {
    const auto machine = pinwise::load_machine("synthetic:Package:2 [NUMANode] L3Cache:2 Core:2 PU:1");
    const auto policy = pinwise::make_policy("idlest");
    if (!machine || !policy) return 1;
    const auto tree = pinwise::DomainTree::build(*machine);
    const auto plan = pinwise::make_plan(tree, **policy, {4, machine->allowed, 0, -1, pinwise::LoadModel::fresh},
                                         pinwise::Reasons::drop);
    if (!plan) return 1;
    for (const auto& placement : plan->threads)
        std::printf("%d ", placement.cpu);
    std::puts("");
    return 0;
}
