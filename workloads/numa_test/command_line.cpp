#include "workloads/numa_test/command_line.hpp"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "workloads/common/allowed_cpus.hpp"
#include "workloads/common/program_options.hpp"
#include "workloads/common/size_text.hpp"
#include "workloads/numa_test/random_updates.hpp"

namespace pinwise::numa_test {

namespace {

constexpr const char* description =
    "Run several jobs at once, each random updates over memory of its own, disturb them, and show\n"
    "on which NUMA nodes each job spent its user time.";

constexpr const char* footer =
    "Examples:\n"
    "  pinwise-numa_test 8                       eight jobs, hackbench with 20 groups after 3 s\n"
    "  pinwise-numa_test 8 --disturb none        nothing but the jobs\n"
    "  pinwise-numa_test 8 --disturb 'make -j8'  any shell command as the disturbance\n"
    "Exit status: 0 measured and verified, 1 failed run or check, 2 mistake in the options.";

/// The words of the options as typed, before they are understood.
struct Words {
    std::string size = "1000000";
    std::string disturbance = default_disturbance;
    std::string node_times = "own";
};

void add_options(CLI::App& app, Options& options, Words& words) {
    app.add_option("--jobs,--threads,jobs", options.jobs, "Run N jobs (default: as many as CPUs are allowed)")
        ->check(CLI::Range(1, most_jobs).description(""))
        ->type_name("N");
    app.add_option("--size", words.size,
                   "Give each job so much: a number of elements of 20 bytes, or bytes with a unit such\n"
                   "as 64MiB (default: 1000000 elements, 20 MB)")
        ->type_name("SIZE");
    app.add_option("--sweeps", options.sweeps,
                   fmt::format("Update every element N times on average (default: {})", options.sweeps))
        ->check(CLI::Range(std::uint64_t{1}, most_updates).description(""))
        ->type_name("N");
    app.add_option("--disturb", words.disturbance,
                   fmt::format("Disturb the jobs with this shell command, or with none; programs beside this one\n"
                               "are found, and what is preloaded here is not preloaded there (default:\n"
                               "'{}')",
                               default_disturbance))
        ->type_name("CMD|none");
    app.add_option("--disturb-after", options.disturb_after_s, "Start it so many SECONDS after the jobs (default: 3)")
        ->check(CLI::Range(0.0, 1e6).description(""))
        ->type_name("SECONDS");
    app.add_option("--node-times", words.node_times,
                   "Know the time on each node from each job's own looks at its CPU and user time, or\n"
                   "from perf's task-clock events, which count user and system time (default: own)")
        ->check(CLI::IsMember({"own", "perf"}).description(""))
        ->type_name("own|perf");
    workloads::add_thp_option(app, options.thp);
    workloads::add_json_option(app, options.json);
}

workloads::Expected<void> understand(const Words& words, Options& options) {
    const auto size = workloads::parse_size(words.size);
    if (!size) return workloads::users_mistake("--size: " + size.error().message);
    options.elements = size->in_bytes ? size->value / element_bytes : size->value;
    if (options.elements == 0 || options.elements > most_elements)
        return workloads::users_mistake(
            fmt::format("--size: a job has from 1 to {} elements of {} bytes", most_elements, element_bytes));
    if (options.sweeps > most_updates / options.elements)
        return workloads::users_mistake(fmt::format(
            "--sweeps: with {} elements at most {} sweeps, so that the sums that check the result stay exact",
            options.elements, most_updates / options.elements));
    if (words.disturbance.empty())
        return workloads::users_mistake("--disturb: it is empty; give a shell command, or none");
    options.disturbance = words.disturbance == "none" ? "" : words.disturbance;
    options.node_times = words.node_times == "perf" ? NodeTimes::perf : NodeTimes::own;
    return {};
}

}  // namespace

workloads::Expected<CommandLine> parse_command_line(int argc, const char* const* argv) {
    CommandLine command_line;
    Words words;
    command_line.options.jobs = std::clamp(static_cast<int>(workloads::allowed_cpus().size()), 1, most_jobs);
    CLI::App app{description, "pinwise-numa_test"};
    app.footer(footer);
    app.set_version_flag("--version", std::string("pinwise-numa_test ") + PINWISE_VERSION);
    add_options(app, command_line.options, words);
    auto text_instead = workloads::parse_arguments(app, argc, argv);
    if (!text_instead) return tl::unexpected(text_instead.error());
    command_line.text_instead = std::move(*text_instead);
    if (command_line.text_instead) return command_line;
    if (auto understood = understand(words, command_line.options); !understood)
        return tl::unexpected(understood.error());
    return command_line;
}

}  // namespace pinwise::numa_test
