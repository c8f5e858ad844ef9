#pragma once
/// machine.json: the state of the machine that a number depends on. Documented in results/README.md.

#include <map>
#include <string>
#include <string_view>

#include "placer/topology/machine.hpp"

namespace pinwise {

/// What only the running program knows.
struct RunFacts {
    std::map<std::string, std::string> removed_variables;  ///< remove_binding_variables()
    std::map<std::string, std::string> openmp_variables;   ///< openmp_variables()
    std::string first_cpu_tracing;                         ///< why the tracepoint is not used, "" when it is
    std::uint64_t seed = 0;
    std::string started_at;  ///< UTC, ISO 8601
};

/// The document as text. `root` is "" for this machine, or a folder with proc/ and sys/ in it for tests. A value that
/// is not there is null, with the reason in "absent" under the same name. The host's name is not in it.
std::string machine_record(const Machine& machine, const RunFacts& facts, const std::string& root = "");

/// machine_kind of a document that machine_record() wrote: "physical", "virtual" or "emulated"; "" when it is not
/// known.
std::string recorded_machine_kind(std::string_view record);

/// A line or two for the terminal: CPU, kernel, nodes, LLCs, cores, CPUs, and what could disturb.
std::string machine_summary(const Machine& machine, const std::string& root = "");

/// Now, "2026-01-31T23:59:59Z".
std::string utc_now();

}  // namespace pinwise
