#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include <fmt/format.h>

#include "placer/nearest_name.hpp"
#include "placer/quoted.hpp"
#include "runner/cli/commands.hpp"

namespace pinwise::cli {

void report(const Error& error, Outcome& outcome) {
    fmt::print(stderr, "pinwise: {}\n", on_one_line(error.message));
    outcome.status = error.kind == ErrorKind::usage ? 2 : 1;
}

}  // namespace pinwise::cli

namespace {

using pinwise::on_one_line;
using pinwise::printable;

/// One line for a mistake on the command line. CLI11 reports a misspelt command as a missing one.
std::string explain_parse_error(const CLI::App* app, const CLI::Error& error) {
    const CLI::App* command = app;
    while (!command->get_subcommands().empty())
        command = command->get_subcommands().front();
    const std::string help =
        fmt::format("(see {} --help)", command == app ? "pinwise" : "pinwise " + command->get_name());
    const std::vector<std::string> words = command->remaining();
    std::vector<std::string_view> names;
    for (const CLI::App* known : command->get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(known->get_name());
    if (names.empty() || words.empty() || words.front().starts_with('-'))
        return fmt::format("pinwise: {} {}\n", on_one_line(error.what()), help);
    const auto similar = pinwise::similar_name(words.front(), names);
    return fmt::format(
        "pinwise: no command \"{}\"{} {}\n", printable(words.front()),
        similar ? fmt::format(": did you mean {}?", *similar) : fmt::format("; there are {}", fmt::join(names, ", ")),
        help);
}

/// Tables and lists that did not reach their reader are a failed run.
int after_output(int status) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    fmt::print(stderr, "pinwise: standard output: {}\n", std::strerror(errno));
    return status == 0 ? 1 : status;
}

/// The kernel ends a program that hits its file size limit; with a handler (which exec resets, unlike ignoring the
/// signal) the write fails instead, with an error we can name.
void turn_file_size_limit_into_errors() {
    struct sigaction action {};
    sigaction(SIGXFSZ, nullptr, &action);
    if (action.sa_handler == SIG_IGN) return;  // and a program that we start finds it so
    action.sa_handler = [](int) {};
    sigaction(SIGXFSZ, &action, nullptr);
}

int run_command_line(int argc, char** argv) {
    CLI::App app{"Where should threads run, and how much is that worth against leaving it to the OS?", "pinwise"};
    app.set_version_flag("--version", PINWISE_VERSION);
    app.require_subcommand(1);
    app.failure_message(explain_parse_error);
    pinwise::cli::Outcome outcome;
    pinwise::cli::add_run(app, outcome);
    pinwise::cli::add_exec(app, outcome);
    pinwise::cli::add_place(app, outcome);
    pinwise::cli::add_topo(app, outcome);
    pinwise::cli::add_trace(app, outcome);
    pinwise::cli::add_validate(app, outcome);
    pinwise::cli::add_doctor(app, outcome);
    pinwise::cli::add_list(app, outcome);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 numbers its errors; for us every one of them is the user's mistake.
        return app.exit(error) == 0 ? 0 : 2;
    }
    return outcome.status;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        turn_file_size_limit_into_errors();
        return after_output(run_command_line(argc, argv));
    } catch (const std::exception& error) {
        fmt::print(stderr, "pinwise: {}\n", error.what());
        return 1;
    }
}
