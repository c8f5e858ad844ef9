#include "runner/trial/external_trial.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

#include "placer/topology/cpu_list.hpp"
#include "runner/trial/piped_group.hpp"

namespace pinwise {

namespace {

constexpr std::size_t max_reason_length = 300;
constexpr double grace_s = 2;

TrialResult interrupted() {
    TrialResult result;
    result.status = TrialStatus::interrupted;
    return result;
}

/// "exit 3: last words", or "" when it is as it should be.
std::string wrong_exit(const GroupResult& group, int expected) {
    const int status = WEXITSTATUS(group.wait_status);
    if (status == expected) return {};
    const std::string said = last_line(group.err);
    return fmt::format("exit {}{}{}{}", status, expected == 0 ? "" : fmt::format(" (not {})", expected),
                       said.empty() ? "" : ": ", said);
}

}  // namespace

std::string last_line(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos) return {};
    const std::size_t end_before = text.find_last_of('\n', last);
    const std::size_t begin = end_before == std::string_view::npos ? 0 : end_before + 1;
    std::string line(text.substr(begin, last - begin + 1));
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, ' ');
    if (line.size() > max_reason_length) line.resize(max_reason_length);
    return line;
}

LaunchSpec external_launch(const ExternalWorkload& external, const std::vector<std::string>& command, int threads,
                           const CpuSet& cpus) {
    LaunchSpec spec;
    spec.command = command;
    spec.working_directory = external.working_directory;
    const std::vector<std::string> ours{fmt::format("PINWISE_THREADS={}", threads),
                                        fmt::format("PINWISE_CPUS={}", format_cpu_list(cpus)),
                                        fmt::format("OMP_NUM_THREADS={}", threads)};
    std::vector<std::string> theirs = external.environment;
    theirs.insert(theirs.end(), external.case_environment.begin(), external.case_environment.end());
    for (const std::string& variable : ours) {
        const auto name = variable.substr(0, variable.find('=') + 1);
        const bool overridden =
            std::ranges::any_of(theirs, [&](const std::string& own) { return own.starts_with(name); });
        if (!overridden) spec.environment.push_back(variable);
    }
    std::ranges::move(theirs, std::back_inserter(spec.environment));
    return spec;
}

Result<WorkloadOutput> read_external_output(const ExternalWorkload& external, const GroupResult& group) {
    if (std::string wrong = wrong_exit(group, external.exit_status); !wrong.empty()) return failure(std::move(wrong));
    if (group.output_cut) return failure(fmt::format("more than {} MiB of output", max_external_output_bytes >> 20));
    auto metrics = read_metrics(external.output, {.out = group.out, .err = group.err});
    if (!metrics) return tl::unexpected<Error>(metrics.error());
    WorkloadOutput output;
    output.metrics = *std::move(metrics);
    output.verified = true;
    return output;
}

std::optional<TrialResult> ExternalSteps::run(std::string_view step, const ExternalWorkload& external,
                                              const std::vector<std::string>& command, int threads, double timeout_s,
                                              Interrupts interrupts) const {
    if (command.empty()) return std::nullopt;
    LaunchSpec spec = external_launch(external, command, threads, cpus_);
    spec.cpus = cpus_;
    const auto group = launch_piped(std::move(spec));
    if (!group) return failed_trial(fmt::format("{}: {}", step, group.error().message));
    const GroupResult ended = wait_for_group(group->pid, group->start_ns, group->out_fd, group->err_fd,
                                             {.timeout_s = timeout_s,
                                              .grace_s = grace_s,
                                              .interrupt_fd = interrupts == Interrupts::end_it ? interrupt_fd_ : -1});
    if (ended.end == EndReason::interrupted) return interrupted();
    if (ended.end == EndReason::timeout) return failed_trial(fmt::format("{}: timeout({:g} s)", step, timeout_s));
    if (WIFSIGNALED(ended.wait_status))
        return failed_trial(fmt::format("{}: ended by signal {}", step, WTERMSIG(ended.wait_status)));
    if (const std::string wrong = wrong_exit(ended, 0); !wrong.empty())
        return failed_trial(fmt::format("{}: {}", step, wrong));
    return std::nullopt;
}

std::optional<TrialResult> ExternalSteps::before(const TrialSpec& spec) {
    const ExternalWorkload& external = *spec.external;
    auto known = known_.find(external.label);
    if (known == known_.end()) {
        known = known_.emplace(external.label, Known{external, spec.timeout_s, {}}).first;
        ExternalWorkload& of_all_cases = known->second.external;
        of_all_cases.case_environment.clear();
        known->second.setup =
            run("setup", of_all_cases, of_all_cases.setup, spec.threads, spec.timeout_s, Interrupts::end_it);
    }
    if (known->second.setup) return known->second.setup;
    return run("prepare", external, external.prepare, spec.threads, spec.timeout_s, Interrupts::end_it);
}

std::vector<std::string> ExternalSteps::clean_up() {
    std::vector<std::string> problems;
    for (const auto& [label, known] : std::exchange(known_, {})) {
        const auto failed =
            run("cleanup", known.external, known.external.cleanup, 1, known.timeout_s, Interrupts::are_ignored);
        if (failed) problems.push_back(fmt::format("{}: {}", label, failed->reason));
    }
    return problems;
}

}  // namespace pinwise
