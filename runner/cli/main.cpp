#include <cstdio>
#include <exception>

#include <fmt/core.h>

#include "runner/cli/commands.hpp"

namespace pinwise::cli {

void report(const Error& error, Outcome& outcome) {
    fmt::print(stderr, "pinwise: {}\n", error.message);
    outcome.status = error.kind == ErrorKind::usage ? 2 : 1;
}

}  // namespace pinwise::cli

namespace {

int run_command_line(int argc, char** argv) {
    CLI::App app{"Where should threads run and pages live, and how much is it worth against leaving it to the OS?",
                 "pinwise"};
    app.set_version_flag("--version", PINWISE_VERSION);
    app.require_subcommand(1);
    app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
        const std::string command =
            failed->get_subcommands().empty() ? "" : failed->get_subcommands().front()->get_name() + " ";
        return fmt::format("pinwise: {} (see pinwise {}--help)\n", error.what(), command);
    });
    pinwise::cli::Outcome outcome;
    pinwise::cli::add_run(app, outcome);
    pinwise::cli::add_exec(app, outcome);
    pinwise::cli::add_place(app, outcome);
    pinwise::cli::add_topo(app, outcome);
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
        return run_command_line(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "pinwise: {}\n", error.what());
        return 1;
    }
}
