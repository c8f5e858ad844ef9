#pragma once
/// The CPUs a session may use: the user's list against what the machine allows.

#include <span>
#include <string>
#include <vector>

#include "placer/result.hpp"
#include "placer/topology/cpu_set.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

/// What to do with a CPU of the user's list that cannot be used here.
enum class MissingCpus {
    refuse,  ///< a usage error that says which CPU, and whether it is absent, offline or not allowed
    drop,    ///< leave it out and say so in a note
};

struct AllowedCpus {
    CpuSet cpus;                     ///< never empty
    std::vector<std::string> notes;  ///< one line per kind of dropped CPU
};

/// `list` AND machine.allowed. An empty result is a usage error in both modes.
Result<AllowedCpus> select_allowed(const Machine& machine, std::span<const int> list, MissingCpus missing);

}  // namespace pinwise
