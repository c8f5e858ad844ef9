/// What STREAM, the NAS Parallel Benchmarks and likwid-bench print. A file may hold the output of several runs.

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "runner/import/foreign_rows.hpp"

namespace pinwise {
namespace {

Result<void> no_run(const std::string& file, std::string_view program) {
    return usage_error(fmt::format("{}: no finished run of {} in it", file, program));
}

tl::unexpected<Error> bad_line(const std::string& file, int line, std::string_view text) {
    return usage_error(fmt::format("{}:{}: no number where one belongs: \"{}\"", file, line, text));
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

}  // namespace

Result<void> read_stream_output(std::string_view text, const std::string& file, const TrialRowConsumer& consume) {
    constexpr std::array<std::string_view, 4> kernels{"Copy:", "Scale:", "Add:", "Triad:"};
    Lines lines(text);
    ForeignTrial trial;
    trial.workload = "stream";
    int runs = 0;
    const auto end_run = [&]() -> Result<void> {
        if (trial.values.empty()) return {};
        auto taken = consume_trial(trial, ++runs, lines.number(), consume);
        trial.values.clear();
        trial.failure.clear();
        return taken;
    };
    while (const auto line = lines.next()) {
        if (trimmed(*line).starts_with("Function")) {
            if (auto ended = end_run(); !ended) return ended;
        }
        if (const auto threads = number_behind(*line, "Number of Threads counted =")) {
            if (auto ended = end_run(); !ended) return ended;
            trial.threads = static_cast<int>(*threads);
        }
        if (line->find("Failed Validation") != std::string_view::npos) trial.failure = "verification failed";
        for (const std::string_view kernel : kernels) {
            if (!trimmed(*line).starts_with(kernel)) continue;
            const auto rate = number_behind(*line, kernel);
            if (!rate) return bad_line(file, lines.number(), *line);
            trial.values.push_back({std::string(kernel.substr(0, kernel.size() - 1)), *rate, "MB/s", Better::higher});
        }
    }
    if (auto ended = end_run(); !ended) return ended;
    return runs > 0 ? Result<void>{} : no_run(file, "STREAM");
}

Result<void> read_npb_output(std::string_view text, const std::string& file, const TrialRowConsumer& consume) {
    constexpr std::string_view completed = " Benchmark Completed";
    Lines lines(text);
    ForeignTrial trial;
    int runs = 0;
    const auto value_of = [](std::string_view line, std::string_view name) -> std::optional<std::string_view> {
        line = trimmed(line);
        if (!line.starts_with(name)) return std::nullopt;
        line = trimmed(line.substr(name.size()));
        return line.starts_with('=') ? std::optional(trimmed(line.substr(1))) : std::nullopt;
    };
    while (const auto line = lines.next()) {
        if (const std::size_t at = line->find(completed); at != std::string_view::npos) {
            trial = {};
            trial.workload = "npb-" + lower_case(trimmed(line->substr(0, at)));
        }
        if (trial.workload.empty()) continue;
        if (const auto letter = value_of(*line, "Class")) trial.parameters = fmt::format("class={}", *letter);
        for (const std::string_view name : {"Total threads", "Total processes", "Number of threads"})
            if (const auto count = value_of(*line, name); count && finite_number(*count))
                trial.threads = static_cast<int>(*finite_number(*count));
        for (const auto& [name, metric, unit, better] : {std::tuple("Time in seconds", "Time", "s", Better::lower),
                                                         std::tuple("Mop/s total", "Mop/s", "Mop/s", Better::higher)}) {
            const auto cell = value_of(*line, name);
            if (!cell) continue;
            const auto value = finite_number(*cell);
            if (!value) return bad_line(file, lines.number(), *line);
            trial.values.push_back({metric, *value, unit, better});
        }
        const auto verification = value_of(*line, "Verification");
        if (!verification) continue;
        if (*verification != "SUCCESSFUL") trial.failure = fmt::format("verification {}", lower_case(*verification));
        if (auto taken = consume_trial(trial, ++runs, lines.number(), consume); !taken) return taken;
        trial = {};
    }
    return runs > 0 ? Result<void>{} : no_run(file, "the NAS Parallel Benchmarks");
}

Result<void> read_likwid_bench_output(std::string_view text, const std::string& file, const TrialRowConsumer& consume) {
    Lines lines(text);
    ForeignTrial trial;
    int runs = 0;
    while (const auto line = lines.next()) {
        const std::string_view content = trimmed(*line);
        if (content.starts_with("Test:")) {
            trial = {};
            trial.workload = "likwid-bench";
            trial.parameters = fmt::format("test={}", trimmed(content.substr(5)));
        }
        if (trial.workload.empty()) continue;
        if (const auto threads = number_behind(content, "Using"); threads && content.ends_with("threads"))
            trial.threads = static_cast<int>(*threads);
        for (const auto& [name, unit, better] :
             {std::tuple("Time:", "s", Better::lower), std::tuple("MFlops/s:", "MFlops/s", Better::higher),
              std::tuple("MByte/s:", "MB/s", Better::higher)}) {
            if (!content.starts_with(name)) continue;
            const auto value = number_behind(content, name);
            if (!value) return bad_line(file, lines.number(), *line);
            std::string metric(name);
            metric.pop_back();
            trial.values.push_back({metric, *value, unit, better});
        }
        // The rate is the last of the figures we take.
        if (!content.starts_with("MByte/s:")) continue;
        if (auto taken = consume_trial(trial, ++runs, lines.number(), consume); !taken) return taken;
        trial = {};
    }
    return runs > 0 ? Result<void>{} : no_run(file, "likwid-bench");
}

}  // namespace pinwise
