#include "runner/validate/validate.hpp"

#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "runner/cli/commands.hpp"

namespace pinwise::cli {
namespace {

/// Number of problems, all printed.
Result<std::size_t> validate_all(const std::vector<std::string>& paths) {
    std::size_t problems = 0;
    std::size_t checked = 0;
    for (const std::string& path : paths) {
        const auto validations = validate(path);
        if (!validations) return tl::unexpected<Error>(validations.error());
        for (const Validation& each : *validations) {
            fmt::print("{}", format_validation(each));
            problems += each.problems.count();
            ++checked;
        }
    }
    fmt::print("{} checked, {} problem{}\n", checked, problems, problems == 1 ? "" : "s");
    return problems;
}

}  // namespace

void add_validate(CLI::App& app, Outcome& outcome) {
    CLI::App* const command = app.add_subcommand(
        "validate", "Check results: schema, completeness, verification, labels, and whether the files agree");
    auto paths = std::make_shared<std::vector<std::string>>();
    command->add_option("paths", *paths, "Results folders, folders of them, or CSV files of their kind")->required();
    command->footer("Exit status: 0 nothing is wrong, 1 something is, 2 there is nothing to check.");
    command->callback([paths, &outcome] {
        const auto problems = validate_all(*paths);
        if (!problems) return report(problems.error(), outcome);
        outcome.status = *problems > 0 ? 1 : 0;
    });
}

}  // namespace pinwise::cli
