#pragma once
/// Small experiments, trials and results for tests of the runner.

#include <string>

#include <gmock/gmock.h>

#include "placer/policy/policies.hpp"
#include "runner/config/config_files.hpp"
#include "runner/config/load_experiment.hpp"
#include "runner/trial/expand.hpp"
#include "runner/trial/order.hpp"
#include "tests/machines.hpp"

namespace pinwise::test {

inline Experiment experiment(const std::string& toml) {
    auto parsed = parse_experiment(toml, "test.toml");
    EXPECT_TRUE(parsed) << parsed.error().message;
    return parsed.value_or(Experiment{});
}

inline std::string config_error(const std::string& toml) {
    const auto parsed = parse_experiment(toml, "test.toml");
    EXPECT_FALSE(parsed);
    if (parsed) return "";
    EXPECT_EQ(parsed.error().kind, ErrorKind::usage);
    return parsed.error().message;
}

inline std::vector<TrialSpec> trials(const std::string& toml, const Machine& machine) {
    auto expanded = expand(experiment(toml), machine);
    EXPECT_TRUE(expanded) << expanded.error().message;
    return expanded.value_or(std::vector<TrialSpec>{});
}

/// A file of configs/. A policy that this build does not have is replaced by one that it has, so that the rest is
/// tested.
inline std::string shipped_config(const std::string& file) {
    auto text = read_config_file(PINWISE_SOURCE_DIR "/configs/" + file);
    EXPECT_TRUE(text) << text.error().message;
    if (!text) return "";
    const std::string arm = R"(policy = "llc")";
    if (const std::size_t at = text->find(arm); at != std::string::npos && !make_policy("llc"))
        text->replace(at, arm.size(), R"(policy = "idlest@6.19")");
    return *text;
}

/// Four strategies: the control, the OS under a mask, and two placed ones.
inline const std::string four_strategies = R"(
name = "four"
repetitions = 5
[[workload]]
name = "stream"
threads = 8
[[matrix]]
policy = "os"
[[matrix]]
cpus = "one-per-thread"
policy = ["os", "idlest"]
bind = ["initial", "cpu"]
)";

}  // namespace pinwise::test
