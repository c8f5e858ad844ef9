#include "workloads/common/program_options.hpp"

#include <algorithm>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <omp.h>

namespace pinwise::workloads {

namespace {

/// CLI11 may say several lines; ours is one.
std::string one_line(std::string text) {
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

}  // namespace

void add_threads_option(CLI::App& app, int& threads, int most) {
    threads = std::clamp(omp_get_max_threads(), 1, most);
    app.add_option("--threads", threads, "Run on N OpenMP threads (default: OMP_NUM_THREADS, else the CPUs allowed)")
        ->check(CLI::Range(1, most).description(""))
        ->type_name("N");
}

void add_thp_option(CLI::App& app, ThpAdvice& advice) {
    static const std::map<std::string, ThpAdvice> words{
        {"on", ThpAdvice::on}, {"off", ThpAdvice::off}, {"default", ThpAdvice::system_default}};
    app.add_option_function<std::string>(
           "--thp", [&advice](const std::string& word) { advice = words.at(word); },
           fmt::format("Advise the kernel to use transparent huge pages, not to, or leave it to the\n"
                       "system's setting (default: {})",
                       to_string(advice)))
        ->check(CLI::IsMember({"on", "off", "default"}).description(""))
        ->type_name("on|off|default");
}

void add_touch_option(CLI::App& app, Touch& touch) {
    app.add_option_function<std::string>(
           "--touch", [&touch](const std::string& word) { touch = word == "master" ? Touch::master : Touch::parallel; },
           fmt::format("Have the data touched first by the threads that use them, or all by the main\n"
                       "thread, which puts them on its NUMA node (default: {})",
                       to_string(touch)))
        ->check(CLI::IsMember({"parallel", "master"}).description(""))
        ->type_name("parallel|master");
}

void add_json_option(CLI::App& app, std::string& json) {
    app.add_option("--json", json,
                   "Write the result as one JSON document to FILE, or to standard output alone with -\n"
                   "(the summary then goes to standard error)")
        ->type_name("FILE|-");
}

Expected<std::optional<std::string>> parse_arguments(CLI::App& app, int argc, const char* const* argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return app.help();
    } catch (const CLI::CallForVersion&) {
        return app.version() + "\n";
    } catch (const CLI::ParseError& error) {
        return users_mistake(one_line(error.what()) + " (--help lists the options)");
    }
    return std::nullopt;
}

}  // namespace pinwise::workloads
