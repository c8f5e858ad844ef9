#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include "placer/topology/load_machine.hpp"
#include "runner/cli/commands.hpp"
#include "runner/doctor/findings.hpp"

namespace pinwise::cli {

void add_doctor(CLI::App& app, Outcome& outcome) {
    CLI::App* const command = app.add_subcommand(
        "doctor", "Say what this machine permits, what a measurement will lack, and what would permit it");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Print one JSON document instead of text");
    command->footer("Exit status: 0 nothing is lacking, 1 something is (docs/doctor.md), 2 a mistake in the command.");
    command->callback([json, &outcome] {
        const auto machine = load_machine("live");
        if (!machine) return report(machine.error(), outcome);
        const auto findings = examine(doctor_facts(*machine, try_permissions()));
        fmt::print("{}", *json ? findings_json(findings) : format_findings(findings));
        const bool lacks = std::ranges::count(findings, FindingState::lacking, &Finding::state) > 0;
        outcome.status = lacks ? 1 : 0;
    });
}

}  // namespace pinwise::cli
