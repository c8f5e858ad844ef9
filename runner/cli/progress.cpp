#include "runner/cli/progress.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runner/trial/steady_time.hpp"

namespace pinwise::cli {
namespace {

/// Back to the first column, and clear the line.
constexpr const char* rewrite = "\r\033[K";

/// Columns of the terminal behind stderr; a longer line could not be rewritten.
std::size_t terminal_columns() {
    constexpr std::size_t usual = 80;
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : usual;
}

std::string clock_text(std::int64_t seconds) {
    if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
    return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace

Progress::Progress(Style style, int trials) : style_(style), trials_(trials), start_ns_(steady_now_ns()) {}

Progress::Style Progress::style_of_stderr() {
    return isatty(STDERR_FILENO) == 1 ? Style::terminal : Style::plain;
}

std::string Progress::times(int done) const {
    const std::int64_t elapsed_ns = steady_now_ns() - start_ns_;
    if (done == 0) return fmt::format("{} elapsed", clock_text(elapsed_ns / ns_per_s));
    const std::int64_t remaining_ns = elapsed_ns / done * (trials_ - done);
    return fmt::format("{} elapsed, about {} remaining", clock_text(elapsed_ns / ns_per_s),
                       clock_text((remaining_ns + ns_per_s - 1) / ns_per_s));
}

void Progress::before(const TrialSpec& spec) {
    if (style_ != Style::terminal) return;
    std::string text = fmt::format("{} of {} (trial {}), {}: {}", spec.position, trials_, spec.trial,
                                   times(spec.position - 1), describe(spec));
    text.resize(std::min(text.size(), terminal_columns() - 1));
    fmt::print(stderr, "{}{}", rewrite, text);
    std::fflush(stderr);
}

void Progress::after(const TrialSpec& spec, const TrialResult& result) {
    const bool failed = result.status == TrialStatus::failed;
    if (style_ == Style::none || (style_ == Style::terminal && !failed)) return;
    const std::string outcome =
        failed ? fmt::format("failed: {}", result.reason) : fmt::format("{:.2f} s", result.wall_s.value_or(0));
    fmt::print(stderr, "{}{} of {} (trial {}), {}: {}: {}\n", style_ == Style::terminal ? rewrite : "", spec.position,
               trials_, spec.trial, times(spec.position), describe(spec), outcome);
}

void Progress::finish() {
    if (style_ == Style::terminal) fmt::print(stderr, "{}", rewrite);
}

std::string describe(const TrialSpec& spec) {
    const std::string bind = spec.strategy.policy == "os" ? "" : fmt::format(", bind {}", spec.strategy.bind);
    const std::string memory =
        spec.strategy.memory == "first-touch" ? "" : fmt::format(", memory {}", spec.strategy.memory);
    const std::string migration =
        spec.strategy.migration == "none" ? "" : fmt::format(", migration {}", spec.strategy.migration);
    const std::string balance =
        spec.strategy.balance == "none" ? "" : fmt::format(", balance {}", spec.strategy.balance);
    return fmt::format("{}, {} thread{}, {}, cpus {}{}{}{}{}", spec.workload, spec.threads,
                       spec.threads == 1 ? "" : "s", spec.strategy.policy, spec.strategy.cpus, bind, memory, migration,
                       balance);
}

}  // namespace pinwise::cli
