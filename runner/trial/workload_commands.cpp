#include "runner/trial/workload_commands.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

namespace pinwise {
namespace {

constexpr std::array<std::string_view, 3> stores_choices{"auto", "regular", "nontemporal"};
constexpr std::array<std::string_view, 3> thp_choices{"on", "off", "default"};
constexpr std::array<std::string_view, 2> touch_choices{"parallel", "master"};

constexpr std::array<WorkloadOption, 6> stream_options{{
    {"size", "--size", "auto", {}, 0, true},
    {"llc_bytes", "--llc-bytes", shared_llc_bytes, {}, 0, true},
    {"ntimes", "--ntimes", "10", {}, 2},
    {"stores", "--stores", "auto", stores_choices, 0},
    {"touch", "--touch", "parallel", touch_choices, 0},
    {"thp", "--thp", "on", thp_choices, 0},
}};

constexpr std::array<std::string_view, 8> npb_classes{"S", "W", "A", "B", "C", "D", "E", "F"};

/// Of every kernel of NPB; a class that a kernel does not have is refused by its program.
constexpr std::array<WorkloadOption, 3> npb_options{{
    {"class", "--class", "A", npb_classes, 0},
    {"touch", "--touch", "parallel", touch_choices, 0},
    {"thp", "--thp", "on", thp_choices, 0},
}};

constexpr std::array<WorkloadMetric, 4> stream_metrics{{
    {"Copy", "MB/s", "higher", "c = a, the best iteration; 10^6 bytes, 16 an element"},
    {"Scale", "MB/s", "higher", "b = q c; 16 bytes an element"},
    {"Add", "MB/s", "higher", "c = a + b; 24 bytes an element"},
    {"Triad", "MB/s", "higher", "a = b + q c; 24 bytes an element"},
}};

constexpr std::array<WorkloadMetric, 2> npb_metrics{{
    {"Mop/s", "Mop/s", "higher", "operations by NPB's own count, in the timed region"},
    {"Time", "s", "lower", "the timed region"},
}};

constexpr std::array<WorkloadMetric, 3> own_metrics{{
    {"wall", "s", "lower", "from before the program is started until its first process has ended"},
    {"user", "s", "lower", "user CPU time of that process and the children it waited for"},
    {"sys", "s", "lower", "system CPU time of the same"},
}};

// A new workload is one line here (and its options above).
constexpr std::array<WorkloadCommand, 10> commands{{
    {"stream", "pinwise-stream", stream_options, stream_metrics},
    {"npb-ep", "npb-ep", npb_options, npb_metrics},
    {"npb-is", "npb-is", npb_options, npb_metrics},
    {"npb-cg", "npb-cg", npb_options, npb_metrics},
    {"npb-mg", "npb-mg", npb_options, npb_metrics},
    {"npb-ft", "npb-ft", npb_options, npb_metrics},
    {"npb-bt", "npb-bt", npb_options, npb_metrics},
    {"npb-sp", "npb-sp", npb_options, npb_metrics},
    {"npb-lu", "npb-lu", npb_options, npb_metrics},
    {"npb-ua", "npb-ua", npb_options, npb_metrics},
}};

constexpr auto name_list = [] {
    std::array<std::string_view, commands.size()> names;
    for (std::size_t i = 0; i < commands.size(); ++i)
        names[i] = commands[i].name;
    return names;
}();

/// As the workloads read it: "10000000", "256MiB", "1.5 GB".
bool is_size(std::string_view text) {
    constexpr std::array<std::string_view, 10> units{"", "B", "kB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB"};
    double number = 0;
    const char* const text_end = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data(), text_end, number, std::chars_format::fixed);
    std::string_view unit(end, static_cast<std::size_t>(text_end - end));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    return status == std::errc{} && number > 0 && std::isfinite(number) &&
           std::ranges::find(units, unit) != units.end();
}

}  // namespace

std::span<const WorkloadCommand> workload_commands() {
    return commands;
}

std::span<const std::string_view> workload_names() {
    return name_list;
}

std::span<const WorkloadMetric> runner_metrics() {
    return own_metrics;
}

const WorkloadCommand* find_workload(std::string_view name) {
    const auto* const found = std::ranges::find(commands, name, &WorkloadCommand::name);
    return found == commands.end() ? nullptr : found;
}

std::string why_bad_value(const WorkloadOption& option, std::string_view value) {
    if (!option.choices.empty() && std::ranges::find(option.choices, value) == option.choices.end())
        return fmt::format("it must be one of {}", fmt::join(option.choices, ", "));
    if (option.size && value != option.fallback && !is_size(value))
        return fmt::format(R"(it must be "{}", a number, or bytes with a unit such as "256 MiB")", option.fallback);
    if (option.least == 0) return value.empty() ? "it must not be empty" : "";
    int number = 0;
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (status != std::errc{} || end != value.data() + value.size() || number < option.least)
        return fmt::format("it must be a whole number, at least {}", option.least);
    return "";
}

std::vector<std::string> workload_arguments(const WorkloadCommand& command, const std::string& executable, int threads,
                                            const WorkloadParameters& parameters, const std::string& json_file) {
    std::vector<std::string> arguments{executable, "--threads", fmt::format("{}", threads)};
    for (const auto& [key, value] : parameters) {
        const auto* const option = std::ranges::find(command.options, key, &WorkloadOption::key).base();
        arguments.emplace_back(option->flag);
        arguments.push_back(value);
    }
    arguments.emplace_back("--json");
    arguments.push_back(json_file);
    return arguments;
}

Result<std::string> find_workload_executable(const WorkloadCommand& command, std::span<const std::string> folders) {
    namespace fs = std::filesystem;
    std::vector<fs::path> searched(folders.begin(), folders.end());
    std::error_code error;
    if (const fs::path self = fs::read_symlink("/proc/self/exe", error); !error) {
        searched.push_back(self.parent_path());
        searched.push_back(self.parent_path().parent_path() / "libexec" / "pinwise");
    }
    std::vector<std::string> names;
    for (const fs::path& folder : searched) {
        const fs::path candidate = fs::absolute(folder / command.executable, error);
        if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) return candidate.string();
        names.push_back(folder.string());
    }
    return failure(fmt::format("program {} of workload \"{}\" not found in {}; is the build complete?",
                               command.executable, command.name, fmt::join(names, ", ")));
}

}  // namespace pinwise
