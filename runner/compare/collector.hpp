#pragma once
/// Sorts rows into tables, columns and samples while they are read, keeping of each row only what a comparison needs:
/// a million rows are some tens of megabytes. Pure.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runner/compare/grouping.hpp"
#include "runner/record/trials_csv.hpp"

namespace pinwise {

/// Whether CPUs that are said to share a last-level cache did, by the probes around a trial (see labels.hpp).
enum class MachineState : std::uint8_t {
    unknown,     ///< no probe
    neighbours,  ///< before and after
    apart,       ///< neither before nor after
    changed,     ///< during the trial
};

std::string_view to_string(MachineState state);
MachineState machine_state(std::optional<double> before_ns, std::optional<double> after_ns);

/// Which trial: of which file, and its number there. Trials of several files are in the order of the files.
struct TrialId {
    int file = 0;
    int trial = 0;
    auto operator<=>(const TrialId&) const = default;
};

struct Observation {
    TrialId id;
    int position = 0;
    std::int8_t arm = 1;
    MachineState state = MachineState::unknown;
    double value = 0;
};

/// What is the same in all rows of a trial. Texts belong to the collector.
struct TrialFacts {
    TrialId id;
    int arm = 1;
    bool finished = false;
    const std::string* reason = nullptr;
    const std::string* start_counts = nullptr;
    const std::string* first_cpu_means = nullptr;
    const std::string* labels = nullptr;
    std::optional<int> most_threads_on_one_cpu;
    std::optional<int> llcs_used;
    std::optional<std::int64_t> migrations;
    std::optional<double> piled_up_s;
    bool affinity_lost = false;
};

struct CollectedColumn {
    TrialRow first;  ///< one of its rows: the keys
    int file = 0;
    std::vector<TrialFacts> trials;                ///< ascending after finish()
    std::vector<std::vector<Observation>> series;  ///< per metric of the case; ascending after finish()
    std::unordered_set<std::uint64_t> known;       ///< trials that are in `trials`
};

struct CollectedMetric {
    std::string name;
    std::string unit;
    Better better = Better::higher;
};

struct CollectedCase {
    TrialRow first;
    int file = 0;
    std::vector<CollectedMetric> metrics;  ///< in order of appearance, the runner's own times last
    std::vector<CollectedColumn> columns;  ///< in order of their first trials
    int repeated_values = 0;               ///< more values of a metric than one in a trial; the first of them counts
};

class Collector {
public:
    /// `files`: the names that rows of file 0, 1, ... have in keys.
    Collector(Grouping grouping, std::vector<std::string> files);

    void add(const TrialRow& row, int file);

    /// All cases in order of their first trials. Call once; the texts they point to live as long as the collector.
    std::vector<CollectedCase> finish();

private:
    struct Place {
        std::size_t in_case = 0;
        std::size_t column = 0;
        auto operator<=>(const Place&) const = default;
    };

    Place place_of(const TrialRow& row, int file);
    static std::size_t metric_of(CollectedCase& in_case, const TrialRow& row, std::size_t after);
    void add_trial(CollectedColumn& column, const TrialRow& row, int file);
    const std::string* kept(const std::string& text) { return &*texts_.insert(text).first; }

    Grouping grouping_;
    std::vector<std::string> files_;
    std::vector<CollectedCase> cases_;
    std::unordered_map<std::string, Place> places_;
    std::unordered_map<std::string, std::size_t> case_places_;
    std::unordered_set<std::string> texts_;
    std::string key_;
    std::string last_key_;
    Place last_place_;
    std::size_t last_metric_ = 0;
    TrialId last_trial_{-1, 0};
};

}  // namespace pinwise
