#include "runner/config/load_external.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "runner/config/what_was_meant.hpp"
#include "runner/output/output_formats.hpp"
#include "runner/output/output_pattern.hpp"
#include "runner/trial/runner_metrics.hpp"

namespace pinwise {

using namespace toml_values;

namespace {

constexpr std::size_t max_label_length = 60;
constexpr int max_exit_status = 255;

constexpr std::array<std::string_view, 14> known_keys{
    "name",        "threads", "zip",     "label",   "command",     "format",           "metric", "success_pattern",
    "exit_status", "setup",   "prepare", "cleanup", "environment", "working_directory"};
/// What zip and the results call something else.
constexpr std::array<std::string_view, 2> names_of_no_variable{"threads", "label"};
constexpr std::array<std::string_view, 5> metric_keys{"name", "pattern", "unit", "better", "take"};
constexpr std::array<std::string_view, 2> better_words{"higher", "lower"};
constexpr std::array<std::string_view, 3> take_words{"only", "first", "last"};
/// Rows that every trial has.

std::string required_string(const toml::table& table, std::string_view key, std::string_view where,
                            std::string_view example) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) mistake(line_of(table), "{} has no {}, for example {}", where, key, example);
    std::string text = string(key, *node);
    if (text.empty()) mistake(line_of(*node), "{} is empty", key);
    return text;
}

std::string word(const toml::table& table, std::string_view key, std::span<const std::string_view> words) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) return std::string(words.front());
    std::string text = string(key, *node);
    if (std::ranges::find(words, text) == words.end())
        mistake(line_of(*node), "unknown {} \"{}\"{}", key, text, what_was_meant(text, words));
    return text;
}

/// A line for the shell, or a program and its arguments; empty when the key is not there.
std::vector<std::string> command_of(const toml::table& table, std::string_view key,
                                    const std::filesystem::path& working_directory) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) return {};
    const toml::array* const list = node->as_array();
    std::vector<std::string> argv;
    if (list == nullptr) {
        argv = {string(key, *node)};
    } else {
        for (const toml::node& each : *list)
            argv.push_back(string(key, each));
    }
    if (argv.empty() || argv.front().find_first_not_of(" \t\n") == std::string::npos)
        mistake(line_of(*node), "{} is empty: a line for the shell, or a list of a program and its arguments", key);
    if (list == nullptr) return {"/bin/sh", "-c", argv.front()};
    // What the program's own folder means to whoever writes the config.
    if (argv.front().find('/') != std::string::npos) argv.front() = (working_directory / argv.front()).string();
    return argv;
}

void read_environment(const toml::table& table, ExternalTable& external) {
    const toml::node* const node = table.get("environment");
    if (node == nullptr) return;
    const toml::table* const variables = node->as_table();
    if (variables == nullptr) wrong_type("environment", *node, "a table of names and values");
    for (const auto& [key, value] : *variables) {
        const std::string name(key.str());
        if (name.empty() || name.find('=') != std::string::npos)
            mistake(line_of(value), "\"{}\" is no name of a variable", name);
        if (!value.is_array()) {
            external.workload.environment.push_back(fmt::format("{}={}", name, scalar(name, value).text));
            continue;
        }
        if (std::ranges::find(names_of_no_variable, name) != names_of_no_variable.end())
            mistake(line_of(value), "a variable with a list of values cannot be called \"{}\"", name);
        external.variables.emplace_back(name, axis(name, value));
    }
}

void check_pattern(std::string_view key, const std::string& pattern, int line, std::optional<int> groups) {
    const auto compiled = OutputPattern::compile(pattern);
    if (!compiled) mistake(line, "{}: {}", key, compiled.error().message);
    if (groups && compiled->groups() != *groups) {
        mistake(line,
                "{} \"{}\" has {} groups in round brackets; it needs one, around the number ((?:...) groups without "
                "counting)",
                key, pattern, compiled->groups());
    }
}

MetricRule read_metric_rule(const toml::table& table) {
    reject_unknown_keys(table, metric_keys, "[[workload.metric]]");
    MetricRule rule;
    rule.name = required_string(table, "name", "this metric", R"(name = "Elapsed")");
    const std::string where = fmt::format("metric \"{}\"", rule.name);
    rule.pattern = required_string(table, "pattern", where, "pattern = 'Elapsed Time ([0-9.]+)'");
    check_pattern("pattern", rule.pattern, line_of(*table.get("pattern")), 1);
    rule.unit = required_string(table, "unit", where, R"(unit = "s")");
    if (!table.contains("better"))
        mistake(line_of(table), R"({} does not say what is better: better = "lower" (times) or "higher" (rates))",
                where);
    rule.better = word(table, "better", better_words) == "higher" ? Better::higher : Better::lower;
    const std::string take = word(table, "take", take_words);
    rule.take = take == "only" ? Take::only : take == "first" ? Take::first : Take::last;
    return rule;
}

OutputRules read_output_rules(const toml::table& table) {
    OutputRules rules;
    if (const toml::node* const format = table.get("format")) {
        const std::string name = string("format", *format);
        const OutputRules* const known = find_output_format(name);
        if (known == nullptr)
            mistake(line_of(*format), "unknown format \"{}\"{}", name, what_was_meant(name, output_format_names()));
        rules = *known;
    }
    if (const toml::node* const success = table.get("success_pattern")) {
        rules.success_patterns.push_back(string("success_pattern", *success));
        check_pattern("success_pattern", rules.success_patterns.back(), line_of(*success), std::nullopt);
    }
    if (!table.contains("metric")) return rules;
    for (const toml::table* const metric : tables(table, "metric", "")) {
        MetricRule rule = read_metric_rule(*metric);
        const bool taken = std::ranges::find(rules.metrics, rule.name, &MetricRule::name) != rules.metrics.end() ||
                           is_runner_metric(rule.name);
        if (taken) mistake(line_of(*metric), "there is a metric \"{}\" already", rule.name);
        rules.metrics.push_back(std::move(rule));
    }
    return rules;
}

std::string read_label(const toml::table& table) {
    std::string label = required_string(table, "label", "this external workload", R"(label = "kernbench")");
    if (!is_plain_name(label, max_label_length))
        mistake(line_of(*table.get("label")),
                "label \"{}\" must be at most {} letters, digits, '-', '_' or '.', and not start with a dot", label,
                max_label_length);
    return label;
}

}  // namespace

ExternalTable read_external(const toml::table& table, const std::string& file) {
    reject_unknown_keys(table, known_keys, "[[workload]] external");
    ExternalTable read;
    ExternalWorkload& external = read.workload;
    external.label = read_label(table);
    std::filesystem::path folder;
    if (const toml::node* const node = table.get("working_directory")) {
        folder = std::filesystem::path(file).parent_path() / string("working_directory", *node);
        external.working_directory = folder.string();
        if (external.working_directory.empty()) mistake(line_of(*node), "working_directory is empty");
    }
    external.command = command_of(table, "command", folder);
    if (external.command.empty())
        mistake(line_of(table),
                R"(this external workload has no command, for example command = "make -j$PINWISE_THREADS")");
    external.setup = command_of(table, "setup", folder);
    external.prepare = command_of(table, "prepare", folder);
    external.cleanup = command_of(table, "cleanup", folder);
    read_environment(table, read);
    if (const toml::node* const node = table.get("exit_status"))
        external.exit_status = static_cast<int>(integer_between("exit_status", *node, 0, max_exit_status));
    external.output = read_output_rules(table);
    return read;
}

}  // namespace pinwise
