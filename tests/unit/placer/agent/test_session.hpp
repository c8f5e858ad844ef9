#pragma once
/// A session's memory for tests, without a launched program.

#include <stdexcept>

#include <unistd.h>

#include "placer/agent/session_memory.hpp"
#include "placer/topology/machine_image.hpp"
#include "tests/machines.hpp"

namespace pinwise {

inline Machine zen3_machine() {
    return test::load(test::zen3_nps1);
}

inline SessionMemory make_memory(const Machine& machine, const CpuSet& allowed, std::string_view policy = "idlest",
                                 Bind bind = Bind::initial) {
    const auto image = encode_machine(machine);
    int descriptor = -1;
    auto memory = SessionMemory::create(
        {.machine = image, .policy = policy, .bind = bind, .allowed = CpuMask::of(allowed)}, descriptor);
    if (!memory) throw std::runtime_error(memory.error().message);
    close(descriptor);
    return std::move(*memory);
}

}  // namespace pinwise
