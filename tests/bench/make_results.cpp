// Writes a results folder of trials that never ran, for measuring what reads one:
//     make_results FOLDER --trials 10000 && time pinwise report FOLDER -o FOLDER.html

#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tests/machines.hpp"
#include "tests/synthetic_results.hpp"

int main(int argc, char** argv) {
    CLI::App app{"Writes a results folder of trials that never ran", "make_results"};
    std::string folder;
    int trials = 10000;
    pinwise::test::SyntheticRun run;
    run.machine = pinwise::test::zen3_nps1;
    constexpr int strategies = 3;
    app.add_option("folder", folder, "Where to write it")->required();
    app.add_option("--trials", trials, "How many, at least; a multiple of the three strategies")
        ->capture_default_str()
        ->check(CLI::Range(1, 90000));
    CLI11_PARSE(app, argc, argv);
    run.repetitions = (trials + strategies - 1) / strategies;
    try {
        pinwise::test::write_synthetic_results(folder, run);
    } catch (const std::exception& error) {
        fmt::print(stderr, "make_results: {}\n", error.what());
        return 1;
    }
    return 0;
}
