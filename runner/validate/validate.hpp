#pragma once
/// `pinwise validate`: whether results are what results/README.md says, and agree with themselves.

#include <map>
#include <string>
#include <vector>

#include "placer/result.hpp"
#include "runner/validate/problems.hpp"

namespace pinwise {

/// One table, or one results folder.
struct Validation {
    std::string path;
    std::size_t rows = 0;
    std::size_t trials = 0;
    std::size_t failed = 0;
    std::map<std::string, std::size_t> labels;  ///< trials that have each
    Problems problems;
};

/// A trials.csv or another file of its kind, a results folder, or a folder with such folders in it at any depth. A
/// folder that has more than trials.csv is checked as a whole: machine, topology, experiment, config, threads, labels
/// and the workloads' documents. Usage error: no such path, or nothing to check in it.
Result<std::vector<Validation>> validate(const std::string& path);

/// "results/a: 40 trials, 280 rows, 2 failed; labels one-node (40), busy (3)", and a line for each problem.
std::string format_validation(const Validation& validation);

}  // namespace pinwise
