#include "runner/record/label_facts.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "runner/record/machine_state.hpp"

namespace pinwise {
namespace {

using nlohmann::json;

std::string text_of(const json& document, const char* key) {
    const auto found = document.find(key);
    return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

LabelFacts label_facts(const Machine& machine, std::string_view machine_json) {
    LabelFacts facts;
    facts.cpu_nodes = static_cast<int>(
        std::ranges::count_if(machine.nodes, [&](const Node& node) { return node.cpus.intersects(machine.allowed); }));
    const json document = json::parse(machine_json, nullptr, false);
    if (!document.is_object()) return facts;
    facts.machine_kind = text_of(document, "machine_kind");
    const std::string balancing = text_of(document, "numa_balancing");
    facts.kernel_balancing = machine.nodes.size() > 1 && !balancing.empty() && balancing != "0";
    // "some avg10=0.00 avg60=..." of /proc/pressure/cpu
    facts.busy_at_start =
        is_busy(leading_number(text_of(document, "load_average")),
                number_behind(text_of(document, "pressure_cpu"), "some avg10="), machine.online.count());
    if (const auto peak = document.find("memory_peak_gb_per_s"); peak != document.end() && peak->is_number())
        facts.peak_gb_per_s = peak->get<double>();
    return facts;
}

}  // namespace pinwise
