#pragma once
/// A results folder as `pinwise run` writes one, of trials that never ran: for tests and benches of what reads it.

#include <cstdint>
#include <filesystem>
#include <string>

namespace pinwise::test {

/// Three strategies on 8 threads of STREAM: the OS default, which stacks threads, and a placed one, which is half as
/// fast again, and the same under a mask.
inline const std::string synthetic_experiment = R"(
name = "synthetic"
[[workload]]
name = "stream"
threads = 8
size = "1 GiB"
[[matrix]]
policy = "os"
[[matrix]]
cpus = "one-per-thread"
policy = ["os", "idlest"]
bind = "cpu"
)";

struct SyntheticRun {
    std::string experiment = synthetic_experiment;  ///< of workload stream
    std::string machine;                            ///< "synthetic:..."
    int repetitions = 5;
    std::uint64_t seed = 1;
    std::string machine_kind = "physical";
    double placed_speedup = 1.5;  ///< of policies other than os; 1: nothing differs but noise
    bool fail_all = false;
    bool counters = true;  ///< NUMA balancing's counters as metrics
};

/// Writes trials.csv, threads.csv, machine.json, topology.xml and output/ into `folder`, which it creates. The same run
/// is the same bytes. Throws std::runtime_error where something is wrong.
void write_synthetic_results(const std::filesystem::path& folder, const SyntheticRun& run);

}  // namespace pinwise::test
