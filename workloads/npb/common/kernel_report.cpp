#include "workloads/npb/common/kernel_report.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "workloads/common/size_text.hpp"

namespace pinwise::npb {

namespace {

nlohmann::ordered_json parameters_of(const RunParameters& parameters, const workloads::ThreadTeam& team,
                                     const KernelRun& run) {
    nlohmann::ordered_json json = {{"class", to_string(parameters.problem_class)},
                                   {"threads", team.size()},
                                   {"touch", to_string(parameters.touch)},
                                   {"thp", workloads::to_string(parameters.thp)},
                                   {"size", run.size},
                                   {"niter", run.iterations},
                                   {"operations", run.operations},
                                   {"allowed_cpus", team.allowed_cpus},
                                   {"omp_wait_policy", workloads::omp_wait_policy()},
                                   {"omp_proc_bind", workloads::omp_proc_bind()}};
    json.update(run.parameters);
    return json;
}

std::vector<std::string> notes_of(const workloads::ThreadTeam& team, const KernelRun& run) {
    std::vector<std::string> notes = run.notes;
    if (team.threads.size() > team.allowed_cpus.size() && !team.allowed_cpus.empty())
        notes.push_back(fmt::format("{} threads share {} allowed CPU{}", team.size(), team.allowed_cpus.size(),
                                    team.allowed_cpus.size() == 1 ? "" : "s"));
    return notes;
}

std::string capitals(std::string_view text) {
    std::string capital(text);
    std::transform(capital.begin(), capital.end(), capital.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return capital;
}

/// Label and value in the columns of NPB's report.
std::string line(std::string_view label, const std::string& value) {
    return fmt::format(" {:<16}={:>25}\n", label, value);
}

std::string npb_lines(const Kernel& kernel, const RunParameters& parameters, const workloads::ThreadTeam& team,
                      const KernelRun& run, bool passed) {
    std::string text = fmt::format("\n {} Benchmark Completed.\n", capitals(kernel.name));
    text += line("Class", std::string(to_string(parameters.problem_class)));
    text += line("Size", run.size);
    text += line("Iterations", fmt::format("{}", run.iterations));
    if (passed) text += line("Time in seconds", fmt::format("{:.4f}", run.time_s));
    text += line("Total threads", fmt::format("{}", team.size()));
    text += line("Avail threads", fmt::format("{}", team.size()));
    if (passed) {
        const double rate = mega_operations_per_s(run);
        text += line("Mop/s total", fmt::format("{:.2f}", rate));
        text += line("Mop/s/thread", fmt::format("{:.2f}", rate / team.size()));
    }
    text += line("Operation type", std::string(kernel.operation_type));
    text += line("Verification", passed ? "SUCCESSFUL" : "UNSUCCESSFUL");
    text += line("Version", PINWISE_VERSION " (NPB 3)");
    return text;
}

std::string pages_text(const workloads::PageReport& pages) {
    std::string text;
    if (pages.anon_huge_bytes) text += fmt::format(", {} on huge pages", workloads::bytes_text(*pages.anon_huge_bytes));
    std::uint64_t sampled = 0;
    if (pages.node_pages)
        for (const auto& [node, count] : *pages.node_pages)
            sampled += count;
    if (pages.node_pages)
        for (const auto& [node, count] : *pages.node_pages)
            text += fmt::format(", node {}: {:.0f} %", node,
                                100.0 * static_cast<double>(count) / static_cast<double>(sampled));
    if (!pages.unavailable_because.empty()) text += fmt::format(", not all known: {}", pages.unavailable_because);
    return text;
}

}  // namespace

double mega_operations_per_s(const KernelRun& run) {
    return run.operations * 1e-6 / run.time_s;
}

workloads::WorkloadReport make_report(const Kernel& kernel, const RunParameters& parameters,
                                      const workloads::ThreadTeam& team, const KernelRun& run) {
    workloads::WorkloadReport report;
    report.workload = fmt::format("npb-{}", kernel.name);
    report.variant = fmt::format("npb3-{}", to_string(parameters.problem_class));
    report.parameters = parameters_of(parameters, team, run);
    report.metrics = {{"Mop/s", "Mop/s", mega_operations_per_s(run), workloads::Better::higher},
                      {"Time", "s", run.time_s, workloads::Better::lower}};
    report.iterations = run.iteration_times;
    report.verification = verification_of(run.checks);
    report.threads = team.threads;
    report.pages = run.pages;
    report.notes = notes_of(team, run);
    return report;
}

std::string result_text(const Kernel& kernel, const RunParameters& parameters, const workloads::ThreadTeam& team,
                        const KernelRun& run, const workloads::WorkloadReport& report) {
    std::set<int> first_cpus;
    for (const auto& thread : team.threads)
        first_cpus.insert(thread.first_cpu);
    std::string text = fmt::format("npb-{}: {}\n", kernel.name, kernel.title);
    text += fmt::format("Threads:  {}, first seen on CPU{} {}\n", team.size(), first_cpus.size() == 1 ? "" : "s",
                        fmt::join(first_cpus, ","));
    text += fmt::format("Pages:    touch {}, thp {}{}\n", to_string(parameters.touch),
                        workloads::to_string(parameters.thp), pages_text(run.pages));
    for (const auto& note : report.notes)
        text += fmt::format("Note:     {}\n", note);
    for (const auto& finding : run.findings)
        text += fmt::format("          {}\n", finding);
    if (report.verification.passed) {
        text += fmt::format("Verified: largest error {:.3g}, tolerance {:.0e}\n", report.verification.max_error,
                            report.verification.tolerance);
    } else {
        text += fmt::format("Verification FAILED: {}; no time or rate is given\n", report.verification.message);
    }
    return text + npb_lines(kernel, parameters, team, run, report.verification.passed);
}

}  // namespace pinwise::npb
