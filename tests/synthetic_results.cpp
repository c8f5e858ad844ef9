#include "tests/synthetic_results.hpp"

#include <array>
#include <fstream>
#include <random>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "placer/topology/load_machine.hpp"
#include "runner/config/load_experiment.hpp"
#include "runner/record/threads_csv.hpp"
#include "runner/record/trials_csv.hpp"
#include "runner/trial/expand.hpp"
#include "runner/trial/order.hpp"
#include "runner/trial/placement_facts.hpp"

namespace pinwise::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array<std::string_view, 4> kernels{"Copy", "Scale", "Add", "Triad"};
constexpr int iterations = 10;
constexpr double bytes = 2e9;

template <class T>
T value_or_throw(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return *std::move(result);
}

void write_file(const fs::path& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

/// What a trial might have been.
class Invention {
public:
    Invention(const SyntheticRun& run, const Machine& machine) : run_(run), machine_(machine), random_(run.seed) {}

    TrialResult result(const TrialSpec& spec) {
        if (run_.fail_all) return failed_trial("exit 3: <no> & \"no\"");
        const bool placed = spec.strategy.policy != "os";
        TrialResult trial;
        const double speedup = placed ? run_.placed_speedup : 1;
        for (const std::string_view kernel : kernels)
            trial.metrics.push_back({std::string(kernel), "MB/s", 100000 * speedup * noise(), Better::higher});
        if (run_.counters) add_counters(trial);
        trial.wall_s = 2 / speedup * noise();
        trial.user_s = 12 / speedup * noise();
        trial.sys_s = 0.3 * noise();
        const std::vector<int> cpus = spec.strategy.mask.to_vector();
        for (int i = 0; i < spec.threads; ++i)
            trial.threads.push_back(thread(i, cpus, placed));
        trial.start = placement_facts(machine_, trial.threads);
        trial.start.piled_up_s = placed ? 0 : 1.4 * noise();
        return trial;
    }

    json document(const TrialSpec& spec, const TrialResult& trial) {
        json document{{"schema", 1}, {"workload", spec.workload}};
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            std::vector<double> times_s;
            for (int i = 0; i < iterations; ++i)
                times_s.push_back(bytes / (trial.metrics[k].value * 1e6) * (i == 0 ? 1.4 : noise()));
            document["iterations"].push_back({{"kernel", kernels.at(k)}, {"times_s", times_s}, {"bytes", bytes}});
        }
        for (const ThreadRecord& each : trial.threads) {
            const Pu* const pu = machine_.pu(each.first_cpu);
            const int node = pu != nullptr ? pu->node.value_or(0) : 0;
            document["threads"].push_back(
                {{"thread", each.index},
                 {"last_node", node},
                 {"node_pages", {{std::to_string(node), 900}, {std::to_string(node + 1), 124}}}});
        }
        return document;
    }

private:
    double noise() { return 1 + 0.02 * (static_cast<double>(random_() % 2001) / 1000 - 1); }

    void add_counters(TrialResult& trial) {
        for (const char* const name :
             {"numa_pte_updates", "numa_hint_faults", "numa_hint_faults_local", "numa_pages_migrated"})
            trial.metrics.push_back({name, "count", static_cast<double>(100000 + random_() % 5000), Better::lower});
    }

    /// Placed threads have a CPU each, the others share every second one with a neighbour.
    static ThreadRecord thread(int index, const std::vector<int>& cpus, bool placed) {
        ThreadRecord record;
        record.index = index;
        record.pid = 4000;
        record.tid = 4000 + index;
        record.name = "stream <b>&'`";
        const std::size_t at = static_cast<std::size_t>(placed ? index : index / 2) % cpus.size();
        record.first_cpu = cpus[at];
        record.first_cpu_means = placed ? FirstCpuMeans::agent : FirstCpuMeans::tracepoint;
        record.last_cpu = cpus[at];
        record.migrations = placed ? 0 : 3;
        return record;
    }

    const SyntheticRun& run_;
    const Machine& machine_;
    std::mt19937_64 random_;
};

}  // namespace

void write_synthetic_results(const fs::path& folder, const SyntheticRun& run) {
    const Machine machine = value_or_throw(load_machine(run.machine));
    Experiment experiment = value_or_throw(parse_experiment(run.experiment, "synthetic.toml"));
    experiment.repetitions = run.repetitions;
    const auto trials = interleaved_order(value_or_throw(expand(experiment, machine)), run.seed);
    fs::create_directories(folder / "output");
    Invention invention(run, machine);
    std::string trials_csv = trials_header();
    std::string threads_csv = threads_header();
    for (const TrialSpec& spec : trials) {
        const TrialResult result = invention.result(spec);
        trials_csv += format_trial_rows(trial_rows(spec, result));
        threads_csv += format_thread_rows(machine, spec, result);
        if (result.status == TrialStatus::ok)
            write_file(folder / fmt::format("output/{:04}.json", spec.trial), invention.document(spec, result).dump());
    }
    write_file(folder / "trials.csv", trials_csv);
    write_file(folder / "threads.csv", threads_csv);
    write_file(folder / "topology.xml", value_or_throw(topology_xml(run.machine)));
    write_file(folder / "machine.json", json{{"schema", 1},
                                             {"machine_kind", run.machine_kind},
                                             {"cpu_model", "Synthetic <CPU>"},
                                             {"kernel", nullptr},
                                             {"absent", {{"kernel", "none ran"}}}}
                                            .dump());
}

}  // namespace pinwise::test
