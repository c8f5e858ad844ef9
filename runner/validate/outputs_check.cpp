#include "runner/validate/outputs_check.hpp"

#include <filesystem>

#include "runner/record/results_folder.hpp"
#include "runner/trial/workload_output.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;

bool has_documents(const std::string& folder) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".json") return true;
    return false;
}

}  // namespace

void check_outputs(const std::string& folder, const CheckedTrials& trials, Problems& problems) {
    if (!has_documents(folder + "/output")) return;
    for (const CheckedTrial& trial : trials) {
        if (trial.first.status != "ok" || find_workload(trial.first.workload) == nullptr) continue;
        const std::string file = fmt::format("{}/output/{:04}.json", folder, trial.first.trial);
        if (!fs::is_regular_file(file)) {
            problems.add(file, 0, "is missing, and trial {} is said to have finished", trial.first.trial);
            continue;
        }
        const auto output = parse_workload_output(file_text(file));
        if (!output) {
            problems.add(file, 0, output.error().message);
        } else if (!output->verified) {
            problems.add(file, 0, "says that verification failed, and trial {} is ok", trial.first.trial);
        }
    }
}

}  // namespace pinwise
