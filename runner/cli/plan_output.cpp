#include "runner/cli/plan_output.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "placer/topology/cpu_list.hpp"
#include "runner/cli/plan_comparison.hpp"
#include "runner/record/csv_writer.hpp"

namespace pinwise::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string node_name(int node) {
    return node < 0 ? "-" : std::to_string(node);
}

/// All steps in one line.
std::string reason(const Placement& placement) {
    std::string text;
    for (const PlacementStep& step : placement.steps) {
        if (!text.empty()) text += "; ";
        text += fmt::format("{}: {}", step.level, step.text);
    }
    return text;
}

std::string summary_line(const PolicyPlan& plan) {
    const auto counted = [](auto count, std::string_view noun) {
        return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
    };
    return fmt::format("{}: {} {}, {} used, {}, at most {} on one CPU\n", plan.plan.policy,
                       counted(plan.plan.threads.size(), "thread"), format_node_counts(plan.summary.threads_per_node),
                       counted(plan.summary.cpus_used, "CPU"), counted(plan.summary.llcs_used, "LLC"),
                       plan.summary.most_on_one_cpu);
}

std::string one_plan_as_text(const PolicyPlan& plan, bool explain) {
    std::string text = fmt::format("{:>6} {:>6} {:>5} {:>5}\n", "thread", "cpu", "node", "llc");
    for (const Placement& placement : plan.plan.threads) {
        fmt::format_to(std::back_inserter(text), "{:>6} {:>6} {:>5} {:>5}\n", placement.thread, placement.cpu,
                       node_name(placement.node), placement.llc);
        if (!explain) continue;
        for (const PlacementStep& step : placement.steps)
            fmt::format_to(std::back_inserter(text), "         {:<9} {}\n", step.level, step.text);
    }
    return text + summary_line(plan);
}

/// One group of columns per policy, its name above them.
std::string plans_side_by_side(std::span<const PolicyPlan> plans) {
    constexpr std::size_t columns_width = 17;
    std::string text = fmt::format("{:>6}", "");
    std::string header = fmt::format("{:>6}", "thread");
    std::vector<std::size_t> widths;
    for (const PolicyPlan& plan : plans) {
        widths.push_back(std::max(columns_width, plan.plan.policy.size() + 2));
        text += fmt::format("{:>{}}", plan.plan.policy, widths.back());
        header += fmt::format("{:>{}}", fmt::format("{:>6} {:>4} {:>4}", "cpu", "node", "llc"), widths.back());
    }
    text += "\n" + header + "\n";
    for (std::size_t thread = 0; thread < plans.front().plan.threads.size(); ++thread) {
        text += fmt::format("{:>6}", thread);
        for (std::size_t index = 0; index < plans.size(); ++index) {
            const Placement& placement = plans[index].plan.threads[thread];
            text += fmt::format(
                "{:>{}}", fmt::format("{:>6} {:>4} {:>4}", placement.cpu, node_name(placement.node), placement.llc),
                widths[index]);
        }
        text += "\n";
    }
    return text;
}

void append_csv(CsvWriter& csv, const Plan& plan, bool with_policy) {
    for (const Placement& placement : plan.threads) {
        if (with_policy) csv.text(plan.policy);
        csv.number(std::int64_t{placement.thread}).number(std::int64_t{placement.cpu});
        placement.node < 0 ? csv.empty() : csv.number(std::int64_t{placement.node});
        csv.number(std::int64_t{placement.llc}).text(reason(placement));
        csv.end_record();
    }
}

Json to_json(const Placement& placement) {
    Json json{{"thread", placement.thread}, {"cpu", placement.cpu}};
    json["node"] = placement.node < 0 ? Json(nullptr) : Json(placement.node);
    json["llc"] = placement.llc;
    json["steps"] = Json::array();
    for (const PlacementStep& step : placement.steps)
        json["steps"].push_back({{"level", step.level}, {"text", step.text}});
    return json;
}

Json to_json(const PolicyPlan& plan) {
    Json json{{"policy", plan.plan.policy},
              {"threads_per_node", plan.summary.threads_per_node},
              {"threads_per_socket", plan.threads_per_socket},
              {"cpus_used", plan.summary.cpus_used},
              {"llcs_used", plan.summary.llcs_used},
              {"most_on_one_cpu", plan.summary.most_on_one_cpu},
              {"stacked", plan.stacked()},
              {"placements", Json::array()}};
    for (const Placement& placement : plan.plan.threads)
        json["placements"].push_back(to_json(placement));
    return json;
}

}  // namespace

PolicyPlan with_summary(const Machine& machine, const DomainTree& tree, Plan plan) {
    PolicyPlan result;
    result.plan = std::move(plan);
    result.threads_per_socket.resize(machine.packages.size());
    std::vector<int> cpus;
    cpus.reserve(result.plan.threads.size());
    for (const Placement& placement : result.plan.threads) {
        cpus.push_back(placement.cpu);
        if (const Pu* pu = machine.pu(placement.cpu))
            ++result.threads_per_socket[static_cast<std::size_t>(pu->package)];
    }
    result.summary = summarize(tree, cpus);
    return result;
}

std::string plans_as_text(std::span<const PolicyPlan> plans, bool explain) {
    if (plans.size() == 1) return one_plan_as_text(plans.front(), explain);
    std::string text = plans_side_by_side(plans);
    for (const PolicyPlan& plan : plans)
        text += summary_line(plan);
    for (const PolicyPlan& plan : plans.subspan(1)) {
        text += fmt::format("{} → {}: {}\n", plans.front().plan.policy, plan.plan.policy,
                            describe_difference(plans.front(), plan));
    }
    return text;
}

std::string plans_as_csv(std::span<const PolicyPlan> plans) {
    const bool with_policy = plans.size() > 1;
    CsvWriter csv;
    if (with_policy) csv.text("policy");
    for (const std::string_view column : {"thread", "cpu", "node", "llc", "reason"})
        csv.text(column);
    csv.end_record();
    for (const PolicyPlan& plan : plans)
        append_csv(csv, plan.plan, with_policy);
    return csv.str();
}

std::string plans_as_json(const Machine& machine, const PlacementRequest& request, std::span<const PolicyPlan> plans) {
    Json json{{"machine", machine.source},
              {"threads", request.threads},
              {"allowed", format_cpu_list(request.allowed)},
              {"waker", request.waker}};
    json["preferred_node"] = request.preferred_node < 0 ? Json(nullptr) : Json(request.preferred_node);
    json["load_model"] = to_string(request.load_model);
    json["plans"] = Json::array();
    for (const PolicyPlan& plan : plans)
        json["plans"].push_back(to_json(plan));
    if (plans.size() > 1) {
        json["differences"] = Json::array();
        for (const PolicyPlan& plan : plans.subspan(1)) {
            json["differences"].push_back({{"from", plans.front().plan.policy},
                                           {"to", plan.plan.policy},
                                           {"text", describe_difference(plans.front(), plan)}});
        }
    }
    // A source or list that is not UTF-8 is replaced, not thrown at the user.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pinwise::cli
