#pragma once
/// An experiment as the user wrote it: nothing in it depends on the machine yet.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/config/external_workload.hpp"

namespace pinwise {

/// A value of the config and the line it stands on, so that a later stage can still name it.
struct ConfigValue {
    std::string text;
    int line = 0;  ///< 0: not in the file, but given with --set
};

/// What stands for the file in messages about values that were given on the command line.
inline constexpr std::string_view set_option = "--set";

/// "my.toml:12", or "--set": where a message says that something is wrong.
std::string place_of(const std::string& file, int line);

/// `--set key=value`: a value that wins over those of the file.
struct Setting {
    std::string key;
    std::string value;  ///< as TOML writes it: 3, "text", ["a", "b"]
};

/// One `[[workload]]` table, or one step of its zip. Several values of a key are several cases: the cross product of
/// all keys.
struct WorkloadAxes {
    ConfigValue name;
    std::vector<ConfigValue> threads;                                       ///< thread counts (topology_expression.hpp)
    std::vector<std::pair<std::string, std::vector<ConfigValue>>> options;  ///< in the order of the workload's table
    std::optional<ExternalWorkload> external;                               ///< of name "external"
};

/// One `[[matrix]]` table, or one step of its zip: the cross product of its values is a list of strategies.
struct StrategyAxes {
    std::vector<ConfigValue> cpus;       ///< masks (topology_expression.hpp)
    std::vector<ConfigValue> policy;     ///< as make_policy() takes it
    std::vector<ConfigValue> bind;       ///< as parse_bind() takes it
    std::vector<ConfigValue> memory;     ///< as parse_memory_policy() takes it
    std::vector<ConfigValue> migration;  ///< one of migration_words
    std::vector<ConfigValue> balance;    ///< as parse_balance() takes it
};

/// A condition that the machine has to meet, and why.
struct Requirement {
    ConfigValue condition;  ///< topology_expression.hpp
    std::string reason;
};

struct Experiment {
    std::string file;  ///< where it was read from, for messages
    std::string name;  ///< letters, digits, '-', '_', '.': it becomes part of a folder's name
    int repetitions = 5;
    double timeout_s = 300;                  ///< for one trial
    std::optional<std::uint64_t> seed;       ///< of the order of trials; absent: drawn when the run starts
    bool oversubscribe = false;              ///< more threads than CPUs in the mask are allowed
    std::vector<std::string> workload_path;  ///< folders searched for workload programs before our own
    std::vector<Requirement> requirements;
    std::vector<WorkloadAxes> workloads;
    std::vector<StrategyAxes> matrix;
};

}  // namespace pinwise
