#pragma once
/// Reads what a report is made from: a results folder, or a table of trials alone.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "placer/result.hpp"
#include "placer/topology/machine.hpp"
#include "runner/record/threads_table.hpp"
#include "runner/record/trials_csv.hpp"
#include "runner/report/workload_detail.hpp"

namespace pinwise::report {

struct ResultsData {
    std::string name;  ///< of the folder or the file, without the path before it
    std::vector<TrialRow> rows;
    std::vector<ThreadRow> threads;
    std::optional<Machine> machine;
    std::string machine_kind;                                        ///< of machine.json; "" when not known
    std::vector<std::pair<std::string, std::string>> machine_facts;  ///< key and value of machine.json, in its order
    std::map<int, WorkloadDetail> details;                           ///< by trial
    std::vector<std::string> missing;                                ///< what could not be read, and why, a line each
};

/// `path` is a results folder or a trials.csv. That table is required: what is wrong with it is a usage error. Whatever
/// else is missing or damaged is named in `missing`, and the report goes without it.
Result<ResultsData> load_results(const std::string& path);

}  // namespace pinwise::report
