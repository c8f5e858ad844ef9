#include "runner/validate/labels_check.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "runner/record/label_facts.hpp"
#include "runner/record/results_folder.hpp"
#include "runner/trial/labels.hpp"

namespace pinwise {
namespace {

/// What the record tells by itself.
constexpr std::array told_by_record{Label::emulated_machine,       Label::one_node,         Label::stream_variant,
                                    Label::binding_not_kept,       Label::kernel_balancing, Label::topology_moved,
                                    Label::memory_policy_not_kept, Label::busy_at_start};

/// A resumed run started more than once: what holds of one start may hold of a trial.
std::vector<LabelFacts> facts_of_starts(const std::string& folder, const Machine& machine) {
    std::vector<LabelFacts> facts{label_facts(machine, file_text(folder + "/machine.json"))};
    for (int i = 1;; ++i) {
        const std::string file = fmt::format("{}/machine-resumed-{}.json", folder, i);
        if (!std::filesystem::exists(file)) return facts;
        facts.push_back(label_facts(machine, file_text(file)));
    }
}

std::set<std::string> expected_labels(const TrialRow& row, const LabelFacts& facts) {
    TrialSpec spec;
    spec.workload = row.workload;
    spec.strategy.migration = row.migration;
    TrialResult result;
    if (!row.affinity_kept.empty()) result.start.affinity_kept = row.affinity_kept == "yes";
    result.mem_policy = row.mem_policy;
    result.neighbour_before_ns = row.neighbour_before_ns;
    result.neighbour_after_ns = row.neighbour_after_ns;
    std::set<std::string> words;
    for (const Label label : labels_of(spec, result, facts))
        words.emplace(to_string(label));
    return words;
}

/// A run that decides on the kernel's balancing trial by trial does not record whether it could.
bool decides_on_balancing(const CheckedTrials& trials) {
    return std::ranges::any_of(trials, [](const CheckedTrial& trial) { return trial.first.migration == "kernel"; });
}

std::set<std::string> labels_told_by_record(const std::string& text) {
    std::set<std::string> words;
    for (const std::string_view word : label_words(text)) {
        const LabelInfo* const info = find_label(word);
        if (info != nullptr && std::ranges::find(told_by_record, info->label) != told_by_record.end())
            words.emplace(word);
    }
    return words;
}

}  // namespace

void check_labels(const std::string& folder, const Machine& machine, const CheckedTrials& trials, Problems& problems) {
    const auto starts = facts_of_starts(folder, machine);
    const bool balancing_is_open = decides_on_balancing(trials);
    const std::string balancing(to_string(Label::kernel_balancing));
    for (const CheckedTrial& trial : trials) {
        const TrialRow& row = trial.first;
        auto found = labels_told_by_record(row.labels);
        if (balancing_is_open) found.erase(balancing);
        const bool justified = std::ranges::any_of(starts, [&](const LabelFacts& facts) {
            auto expected = expected_labels(row, facts);
            if (balancing_is_open) expected.erase(balancing);
            return expected == found;
        });
        if (!justified)
            problems.add(folder + "/trials.csv", trial.line, R"(trial {} has labels "{}"; the record says "{}")",
                         row.trial, row.labels, fmt::join(expected_labels(row, starts.front()), " "));
    }
}

}  // namespace pinwise
