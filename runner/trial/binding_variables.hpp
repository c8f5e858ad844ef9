#pragma once
/// Variables of the user's environment that would bind threads by themselves and so fight every strategy.

#include <map>
#include <string>
#include <vector>

namespace pinwise {

/// Removes OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY, KMP_AFFINITY and KMP_HW_SUBSET from this process's
/// environment, so that no trial inherits them. Returns what was removed. Call it before any thread exists.
std::map<std::string, std::string> remove_binding_variables();

/// Those of them that make an OpenMP runtime bind threads, as "NAME=VALUE": not OMP_PROC_BIND=false, which forbids it,
/// nor KMP_HW_SUBSET, which only counts.
std::vector<std::string> variables_that_bind();

/// What is left of OMP_*, GOMP_* and KMP_*, OMP_WAIT_POLICY among them: trials inherit it, so it is recorded.
std::map<std::string, std::string> openmp_variables();

}  // namespace pinwise
