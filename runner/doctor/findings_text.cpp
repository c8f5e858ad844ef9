#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runner/doctor/findings.hpp"

namespace pinwise {
namespace {

std::string format_finding(const Finding& finding) {
    constexpr std::string_view below = "                         ";
    std::string text = fmt::format("{:<8} {:<15} {}\n", to_string(finding.state), finding.name, finding.found);
    if (!finding.lacks.empty()) text += fmt::format("{}so: {}\n", below, finding.lacks);
    if (!finding.permit.empty()) text += fmt::format("{}do: {}\n", below, finding.permit);
    return text;
}

auto lacking_count(const std::vector<Finding>& findings) {
    return std::ranges::count(findings, FindingState::lacking, &Finding::state);
}

}  // namespace

std::string format_findings(const std::vector<Finding>& findings) {
    std::string text;
    for (const FindingState state : {FindingState::lacking, FindingState::unknown, FindingState::fine})
        for (const Finding& finding : findings)
            if (finding.state == state) text += format_finding(finding);
    const auto lacking = lacking_count(findings);
    text += lacking == 0 ? "\nNothing is lacking here.\n"
                         : fmt::format("\n{} of {} are lacking: measurements work without them, with less.\n", lacking,
                                       findings.size());
    return text;
}

std::string findings_json(const std::vector<Finding>& findings) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const Finding& finding : findings)
        list.push_back({{"name", finding.name},
                        {"state", to_string(finding.state)},
                        {"found", finding.found},
                        {"lacks", finding.lacks},
                        {"permit", finding.permit}});
    const Json document{{"schema", 1}, {"lacking", lacking_count(findings)}, {"findings", std::move(list)}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pinwise
