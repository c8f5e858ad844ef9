#pragma once
/// What a kernel of NPB is to the program around it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "workloads/common/first_touch.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/thread_team.hpp"
#include "workloads/common/workload_report.hpp"
#include "workloads/npb/common/problem_class.hpp"
#include "workloads/npb/common/verification.hpp"

namespace pinwise::npb {

/// What decides a run, besides the team.
struct RunParameters {
    ProblemClass problem_class = ProblemClass::s;
    workloads::Touch touch = workloads::Touch::parallel;
    workloads::ThpAdvice thp = workloads::ThpAdvice::on;
};

/// What a run gave, right or wrong: look at the checks first.
struct KernelRun {
    std::string size;       ///< as NPB's report says it: "14000", "256x 256x 128"
    int iterations = 0;     ///< timed ones, by NPB's count (0 for EP)
    double time_s = 0;      ///< of the timed region
    double operations = 0;  ///< by NPB's count for this class
    std::vector<workloads::KernelTimes> iteration_times;
    std::vector<Check> checks;
    std::vector<std::string> findings;  ///< lines for people, such as the values compared
    workloads::PageReport pages;
    std::vector<std::string> notes;
    nlohmann::ordered_json parameters = nlohmann::ordered_json::object();  ///< the kernel's own, added to the common
};

struct Kernel {
    std::string_view name;            ///< "ep"; the program is npb-ep
    std::string_view title;           ///< for --help: "Gaussian pairs from random numbers"
    std::string_view operation_type;  ///< NPB's words: "Random numbers generated"
    std::span<const ProblemClass> classes;

    /// Bytes that a run has allocated at its peak.
    std::uint64_t (*bytes_needed)(ProblemClass problem_class, int threads);

    /// Setup, NPB's timed region, and the checks, on the team. Fails where the machine refuses something.
    workloads::Expected<KernelRun> (*run)(const RunParameters& parameters, workloads::ThreadTeam& team);
};

}  // namespace pinwise::npb
