#include "runner/validate/validate.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "placer/quoted.hpp"
#include "runner/record/results_folder.hpp"
#include "runner/trial/labels.hpp"
#include "runner/validate/labels_check.hpp"
#include "runner/validate/outputs_check.hpp"
#include "runner/validate/records_check.hpp"
#include "runner/validate/threads_check.hpp"
#include "runner/validate/trials_check.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view table_name = "trials.csv";

void summarise(const CheckedTrials& trials, Validation& validation) {
    validation.trials = trials.size();
    for (const CheckedTrial& trial : trials) {
        if (trial.first.status == "failed") ++validation.failed;
        for (const std::string_view label : label_words(trial.first.labels))
            ++validation.labels[std::string(label)];
    }
}

/// A table that stands alone: published figures, or an excerpt.
CheckedTrials validate_table(const std::string& file, Validation& validation) {
    auto trials = check_trials(file_text(file), file, validation.problems, validation.rows);
    summarise(trials, validation);
    return trials;
}

void validate_folder(const std::string& folder, Validation& validation) {
    const auto trials = validate_table(fmt::format("{}/{}", folder, table_name), validation);
    const auto machine = check_machine(folder, validation.problems);
    const std::string threads_file = folder + "/threads.csv";
    check_threads(file_text(threads_file), threads_file, trials, machine ? &*machine : nullptr, validation.problems);
    check_experiment(folder, trials, validation.problems);
    if (machine) check_labels(folder, *machine, trials, validation.problems);
    check_outputs(folder, trials, validation.problems);
}

/// A folder of a run, as opposed to one with a table in it.
bool is_results_folder(const fs::path& folder) {
    return fs::exists(folder / "machine.json") || fs::exists(folder / "threads.csv") ||
           fs::exists(folder / "experiment.json");
}

Validation validate_one(const fs::path& table) {
    Validation validation;
    const fs::path folder = table.parent_path();
    if (table.filename() == table_name && is_results_folder(folder)) {
        validation.path = folder.string();
        validate_folder(folder.string(), validation);
    } else {
        validation.path = table.string();
        validate_table(table.string(), validation);
    }
    return validation;
}

std::vector<fs::path> tables_below(const std::string& folder) {
    std::vector<fs::path> tables;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder, error))
        if (entry.path().filename() == table_name) tables.push_back(entry.path());
    std::ranges::sort(tables);
    return tables;
}

}  // namespace

Result<std::vector<Validation>> validate(const std::string& path) {
    std::error_code error;
    const fs::path clean = path.ends_with('/') ? fs::path(path).parent_path() : fs::path(path);
    if (!fs::exists(clean, error)) return usage_error(fmt::format("{}: no such file or folder", printable(path)));
    const auto tables = fs::is_directory(clean, error) ? tables_below(clean.string()) : std::vector<fs::path>{clean};
    if (tables.empty()) return usage_error(fmt::format("{}: no trials.csv in it", printable(path)));
    std::vector<Validation> validations;
    validations.reserve(tables.size());
    for (const fs::path& table : tables)
        validations.push_back(validate_one(table));
    return validations;
}

std::string format_validation(const Validation& validation) {
    std::string labels;
    for (const auto& [label, trials] : validation.labels)
        labels += fmt::format("{}{} ({})", labels.empty() ? "; labels " : ", ", label, trials);
    std::string text =
        fmt::format("{}: {} trial{}, {} rows, {} failed{}\n", printable(validation.path), validation.trials,
                    validation.trials == 1 ? "" : "s", validation.rows, validation.failed, labels);
    for (const std::string& line : validation.problems.lines())
        text += fmt::format("  {}\n", line);
    return text;
}

}  // namespace pinwise
