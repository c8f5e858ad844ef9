#pragma once
/// The options of pinwise-numa_test.

#include <cstdint>
#include <optional>
#include <string>

#include "workloads/common/expected.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/numa_test/node_clock.hpp"

namespace pinwise::numa_test {

/// hackbench with 20 groups, as in numa_test of 2002.
inline constexpr const char* default_disturbance = "pinwise-hackbench 20";

struct Options {
    int jobs = 1;
    std::uint64_t elements = 1'000'000;
    std::uint64_t sweeps = 5000;
    std::string disturbance = default_disturbance;  ///< a shell command; empty: none
    double disturb_after_s = 3;
    NodeTimes node_times = NodeTimes::own;
    workloads::ThpAdvice thp = workloads::ThpAdvice::system_default;
    std::string json;
};

struct CommandLine {
    Options options;
    std::optional<std::string> text_instead;  ///< of --help and --version: print it and end
};

inline constexpr int most_jobs = 10000;

workloads::Expected<CommandLine> parse_command_line(int argc, const char* const* argv);

}  // namespace pinwise::numa_test
