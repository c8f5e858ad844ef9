#pragma once
/// The subcommands of `pinwise`, one file each. A command registers its options and sets `status` when it has run.

#include <CLI/CLI.hpp>

#include "placer/result.hpp"

namespace pinwise::cli {

/// Exit status of the program: 0 done, 1 a run failed, 2 the user's mistake.
struct Outcome {
    int status = 0;
};

/// Prints `pinwise: MESSAGE` on stderr and sets the exit status of the error's kind.
void report(const Error& error, Outcome& outcome);

void add_run(CLI::App& app, Outcome& outcome);
void add_exec(CLI::App& app, Outcome& outcome);
void add_place(CLI::App& app, Outcome& outcome);
void add_topo(CLI::App& app, Outcome& outcome);
void add_trace(CLI::App& app, Outcome& outcome);
void add_validate(CLI::App& app, Outcome& outcome);
void add_doctor(CLI::App& app, Outcome& outcome);
void add_list(CLI::App& app, Outcome& outcome);

}  // namespace pinwise::cli
