#include "workloads/npb/common/command_line.hpp"

#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "workloads/common/program_options.hpp"

namespace pinwise::npb {

namespace {

std::vector<std::string> letters_of(std::span<const ProblemClass> classes) {
    std::vector<std::string> letters;
    for (const ProblemClass each : classes)
        letters.emplace_back(to_string(each));
    return letters;
}

void add_options(CLI::App& app, const Kernel& kernel, Options& options) {
    const auto letters = letters_of(kernel.classes);
    app.add_option_function<std::string>(
           "--class",
           [&options](const std::string& letter) { options.run.problem_class = parse_class(letter).value(); },
           fmt::format("Solve the problem of this class, from the smallest to the largest (default: {})",
                       to_string(options.run.problem_class)))
        ->check(CLI::IsMember(letters, CLI::ignore_case).description(""))
        ->type_name(fmt::format("{}", fmt::join(letters, "|")));
    workloads::add_threads_option(app, options.threads, most_threads);
    workloads::add_touch_option(app, options.run.touch);
    workloads::add_thp_option(app, options.run.thp);
    workloads::add_json_option(app, options.json);
}

}  // namespace

workloads::Expected<CommandLine> parse_command_line(const Kernel& kernel, int argc, const char* const* argv) {
    CommandLine command_line;
    const std::string program = fmt::format("npb-{}", kernel.name);
    CLI::App app{
        fmt::format("{}, a kernel of the NAS Parallel Benchmarks 3, verified by NPB's own values.", kernel.title),
        program};
    app.footer(
        fmt::format("Examples:\n"
                    "  {0} --class A --threads 2              the result for people\n"
                    "  {0} --class B --json result.json       and as a document too\n"
                    "  {0} --class C --touch master           every page on one NUMA node at the start\n"
                    "Exit status: 0 measured and verified, 1 failed run or UNSUCCESSFUL, 2 mistake in the options.",
                    program));
    app.set_version_flag("--version", program + " " + PINWISE_VERSION);
    add_options(app, kernel, command_line.options);
    auto text_instead = workloads::parse_arguments(app, argc, argv);
    if (!text_instead) return tl::unexpected(text_instead.error());
    command_line.text_instead = std::move(*text_instead);
    return command_line;
}

}  // namespace pinwise::npb
