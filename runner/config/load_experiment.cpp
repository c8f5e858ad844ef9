#include "runner/config/load_experiment.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <span>

#include <fmt/format.h>

#include "placer/agent/session.hpp"
#include "placer/balance/balance_choice.hpp"
#include "placer/memory/memory_policy.hpp"
#include "placer/policy/policies.hpp"
#include "placer/policy/running_rule.hpp"
#include "runner/config/each_node.hpp"
#include "runner/config/load_external.hpp"
#include "runner/config/strategy_words.hpp"
#include "runner/config/toml_values.hpp"
#include "runner/config/what_was_meant.hpp"
#include "runner/trial/workload_commands.hpp"

namespace pinwise {

using namespace toml_values;

namespace {

constexpr int max_repetitions = 100000;
/// The name becomes part of a folder's name, next to a time stamp.
constexpr std::size_t max_name_length = 100;

/// Keys with a value of their own, which --set may give; the others are tables.
constexpr std::array<std::string_view, 7> top_value_keys{"name",          "repetitions", "timeout_s",    "seed",
                                                         "oversubscribe", "noise_floor", "workload_path"};
constexpr std::array<std::string_view, 12> top_keys{"name",          "repetitions", "timeout_s",     "seed",
                                                    "oversubscribe", "noise_floor", "workload_path", "requires",
                                                    "workload",      "matrix",      "defaults",      "set"};
constexpr std::array<std::string_view, 2> requires_keys{"condition", "reason"};
/// Beside the options of the workload.
constexpr std::array<std::string_view, 3> workload_keys{"name", "threads", "zip"};
/// Keys of a strategy, and the value of one that is not named.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> matrix_axes{
    {{"cpus", "all"},
     {"policy", "os"},
     {"bind", "initial"},
     {"memory", "first-touch"},
     {"migration", migration_words.front()},
     {"balance", no_balance}}};
constexpr std::array<std::string_view, 7> matrix_keys{"cpus",      "policy",  "bind", "memory",
                                                      "migration", "balance", "zip"};

/// Where a key of a [[workload]] or [[matrix]] table has its value from: `[set]` wins over the table, which wins over
/// `[defaults]`.
struct Layers {
    const toml::table* set = nullptr;
    const toml::table* defaults = nullptr;

    [[nodiscard]] const toml::node* find(const toml::table& table, std::string_view key) const {
        if (set != nullptr && set->contains(key)) return set->get(key);
        if (table.contains(key)) return table.get(key);
        return defaults != nullptr ? defaults->get(key) : nullptr;
    }

    [[nodiscard]] std::vector<ConfigValue> axis_or(const toml::table& table, std::string_view key,
                                                   std::string_view fallback) const {
        const toml::node* const node = find(table, key);
        return node != nullptr ? axis(key, *node) : std::vector<ConfigValue>{{std::string(fallback), line_of(table)}};
    }
};

/// The keys of a table with all their values.
using Axes = std::vector<std::pair<std::string, std::vector<ConfigValue>>>;

std::vector<ConfigValue>& values_of(Axes& axes, std::string_view key) {
    return std::ranges::find(axes, key, &Axes::value_type::first)->second;
}

/// `zip = ["a", "b"]`: the first values of both, then the second ones, ...; everything else is crossed with each.
std::vector<Axes> unzipped(const toml::table& table, const Axes& axes) {
    const toml::node* const zip = table.get("zip");
    if (zip == nullptr) return {axes};
    const std::vector<ConfigValue> keys = axis("zip", *zip);
    std::vector<std::string_view> known;
    for (const auto& [key, values] : axes)
        known.push_back(key);
    std::size_t length = 0;
    for (const ConfigValue& key : keys) {
        if (std::ranges::find(known, key.text) == known.end())
            mistake(key.line, "zip names \"{}\", which is no key of this table{}", key.text,
                    what_was_meant(key.text, known));
        const std::size_t values = std::ranges::find(axes, key.text, &Axes::value_type::first)->second.size();
        if (length != 0 && values != length)
            mistake(key.line, "zip takes lists of equal length; {} has {} value{}, {} has {}", keys.front().text,
                    length, length == 1 ? "" : "s", key.text, values);
        length = values;
    }
    std::vector<Axes> steps(length, axes);
    for (std::size_t i = 0; i < length; ++i)
        for (const ConfigValue& key : keys)
            values_of(steps[i], key.text) = {std::ranges::find(axes, key.text, &Axes::value_type::first)->second[i]};
    return steps;
}

void check_option(const WorkloadOption& option, const ConfigValue& value) {
    if (const std::string problem = why_bad_value(option, value.text); !problem.empty())
        mistake(value.line, "{} \"{}\": {}", option.key, value.text, problem);
}

/// Every name a [[workload]] may have.
std::vector<std::string_view> all_workload_names() {
    std::vector<std::string_view> names(workload_names().begin(), workload_names().end());
    names.emplace_back(external_workload_name);
    return names;
}

/// The workload of a table; nullptr for one of the user's own.
const WorkloadCommand* command_of(const toml::table& table) {
    const toml::node* const name = table.get("name");
    if (name == nullptr)
        mistake(line_of(table), "this [[workload]] has no name{}", what_was_meant("", all_workload_names()));
    const std::string text = string("name", *name);
    if (text == external_workload_name) return nullptr;
    const WorkloadCommand* const command = find_workload(text);
    if (command == nullptr)
        mistake(line_of(*name), "unknown workload \"{}\"{}", text, what_was_meant(text, all_workload_names()));
    return command;
}

std::vector<std::string_view> keys_of(const WorkloadCommand& command) {
    std::vector<std::string_view> keys(workload_keys.begin(), workload_keys.end());
    for (const WorkloadOption& option : command.options)
        keys.push_back(option.key);
    return keys;
}

/// The options of a workload of ours.
Axes options_of(const WorkloadCommand& command, const toml::table& table, const Layers& layers) {
    reject_unknown_keys(table, keys_of(command), fmt::format("[[workload]] {}", command.name));
    Axes options;
    for (const WorkloadOption& option : command.options) {
        options.emplace_back(option.key, layers.axis_or(table, option.key, option.fallback));
        for (const ConfigValue& value : options.back().second)
            check_option(option, value);
    }
    return options;
}

/// What tells the cases of one of the user's own apart: the label, and variables with several values.
Axes options_of(ExternalTable external, int line) {
    Axes options{{"label", {{external.workload.label, line}}}};
    std::ranges::move(external.variables, std::back_inserter(options));
    return options;
}

/// One for every step of the table's zip.
std::vector<WorkloadAxes> read_workload(const toml::table& table, const std::string& file, const Layers& layers) {
    const WorkloadCommand* const command = command_of(table);
    WorkloadAxes workload;
    workload.name = {string("name", *table.get("name")), line_of(*table.get("name"))};
    Axes axes;
    if (command != nullptr) {
        axes = options_of(*command, table, layers);
    } else {
        ExternalTable external = read_external(table, file);
        workload.external = external.workload;
        axes = options_of(std::move(external), workload.name.line);
    }
    axes.emplace(axes.begin(), "threads", layers.axis_or(table, "threads", "llcs"));
    std::vector<WorkloadAxes> steps;
    for (Axes& step : unzipped(table, axes)) {
        steps.push_back(workload);
        steps.back().threads = std::move(step.front().second);
        steps.back().options.assign(std::make_move_iterator(step.begin() + 1), std::make_move_iterator(step.end()));
    }
    return steps;
}

/// "idlest@running" becomes the rule's own name, so that a record says which rule it was.
std::string policy_named(const ConfigValue& policy) {
    auto name = concrete_policy_name(policy.text, running_kernel());
    if (!name) mistake(policy.line, "{}", name.error().message);
    if (const auto made = make_policy(*name); !made) mistake(policy.line, "{}", made.error().message);
    return *std::move(name);
}

/// The values of an axis of strategy_words.hpp.
void check_words(std::string_view key, std::span<const ConfigValue> values, std::span<const std::string_view> words) {
    for (const ConfigValue& value : values)
        if (std::ranges::find(words, value.text) == words.end())
            mistake(value.line, "unknown {} \"{}\"{}", key, value.text, what_was_meant(value.text, words));
}

/// Every value that a matrix table may have is checked here, so that a mistake is known before anything runs.
void check_strategies(Axes& axes) {
    for (ConfigValue& policy : values_of(axes, "policy"))
        policy.text = policy_named(policy);
    for (const ConfigValue& bind : values_of(axes, "bind"))
        if (const auto parsed = parse_bind(bind.text); !parsed) mistake(bind.line, "{}", parsed.error().message);
    for (const ConfigValue& memory : values_of(axes, "memory")) {
        if (memory.text == memory_of_each_node) continue;
        if (const auto parsed = parse_memory_policy(memory.text); !parsed)
            mistake(memory.line, "{}", parsed.error().message);
    }
    check_words("migration", values_of(axes, "migration"), migration_words);
    for (const ConfigValue& balance : values_of(axes, "balance"))
        if (const auto parsed = parse_balance(balance.text); !parsed)
            mistake(balance.line, "{}", parsed.error().message);
}

/// One for every step of the table's zip.
std::vector<StrategyAxes> read_strategies(const toml::table& table, const Layers& layers) {
    reject_unknown_keys(table, matrix_keys, "[[matrix]]");
    Axes axes;
    for (const auto& [key, fallback] : matrix_axes)
        axes.emplace_back(key, layers.axis_or(table, key, fallback));
    check_strategies(axes);
    std::vector<StrategyAxes> steps;
    for (Axes& step : unzipped(table, axes))
        steps.push_back({values_of(step, "cpus"), values_of(step, "policy"), values_of(step, "bind"),
                         values_of(step, "memory"), values_of(step, "migration"), values_of(step, "balance")});
    return steps;
}

Requirement read_requirement(const toml::table& table) {
    reject_unknown_keys(table, requires_keys, "[[requires]]");
    const toml::node* const condition = table.get("condition");
    const toml::node* const reason = table.get("reason");
    if (condition == nullptr || reason == nullptr)
        mistake(line_of(table), "[[requires]] needs a condition and a reason, for example condition = \"nodes >= 2\"");
    return {{string("condition", *condition), line_of(*condition)}, string("reason", *reason)};
}

std::string read_name(const toml::table& root, const std::string& file) {
    const toml::node* const node = root.get("name");
    std::string name = node != nullptr ? string("name", *node) : std::filesystem::path(file).stem().string();
    if (!is_plain_name(name, max_name_length))
        mistake(node != nullptr ? line_of(*node) : 1,
                "name \"{}\": 1 to {} letters, digits, '-', '_' or '.' are needed; it becomes a folder's name", name,
                max_name_length);
    return name;
}

std::vector<std::string> read_workload_path(const toml::table& root, const std::string& file) {
    std::vector<std::string> folders;
    const toml::node* const node = root.get("workload_path");
    if (node == nullptr) return folders;
    for (const ConfigValue& value : axis("workload_path", *node))
        folders.push_back((std::filesystem::path(file).parent_path() / value.text).string());
    return folders;
}

/// Keys that `[set]` and `[defaults]` may have: those of the workloads of this config, and of a matrix.
std::vector<std::string_view> keys_of_tables(std::span<const toml::table* const> workloads) {
    std::vector<std::string_view> keys{"threads"};
    for (const auto& [key, fallback] : matrix_axes)
        keys.push_back(key);
    for (const toml::table* const table : workloads) {
        const WorkloadCommand* const command = command_of(*table);
        if (command == nullptr) continue;
        for (const WorkloadOption& option : command->options)
            if (std::ranges::find(keys, option.key) == keys.end()) keys.push_back(option.key);
    }
    return keys;
}

const toml::table* layer(const toml::table& root, std::string_view name, std::span<const std::string_view> keys) {
    const toml::node* const node = root.get(name);
    if (node == nullptr) return nullptr;
    const toml::table* const table = node->as_table();
    if (table == nullptr || table->is_inline()) mistake(line_of(*node), "{0} must be a table [{0}] of its own", name);
    reject_unknown_keys(*table, keys, fmt::format("[{}], which takes what a table of this config takes", name));
    return table;
}

void read_top_level(const toml::table& root, Experiment& experiment) {
    if (const toml::node* const node = root.get("repetitions"))
        experiment.repetitions = static_cast<int>(integer_between("repetitions", *node, 1, max_repetitions));
    if (const toml::node* const node = root.get("timeout_s")) experiment.timeout_s = seconds("timeout_s", *node);
    if (const toml::node* const node = root.get("seed"))
        experiment.seed =
            static_cast<std::uint64_t>(integer_between("seed", *node, 0, std::numeric_limits<std::int64_t>::max()));
    if (const toml::node* const node = root.get("noise_floor")) experiment.noise_floor = boolean("noise_floor", *node);
    if (const toml::node* const node = root.get("oversubscribe"))
        experiment.oversubscribe = boolean("oversubscribe", *node);
    if (const toml::node* const node = root.get("noise_floor")) experiment.noise_floor = boolean("noise_floor", *node);
}

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Two external workloads of one label could not be told apart in the results.
void check_labels(std::span<const toml::table* const> workloads) {
    std::set<std::string> labels;
    for (const toml::table* const table : workloads) {
        if (command_of(*table) != nullptr) continue;
        const toml::node& label = *table->get("label");
        if (!labels.insert(string("label", label)).second)
            mistake(line_of(label), "there is an external workload with label \"{}\" already", string("label", label));
    }
}

Experiment read_experiment(const toml::table& root, const std::string& file) {
    reject_unknown_keys(root, top_keys, "the config");
    Experiment experiment;
    experiment.file = file;
    experiment.name = read_name(root, file);
    read_top_level(root, experiment);
    experiment.workload_path = read_workload_path(root, file);
    if (root.contains("requires"))
        for (const toml::table* const table : tables(root, "requires", ""))
            experiment.requirements.push_back(read_requirement(*table));
    const auto workloads = tables(root, "workload", R"(say what to run, for example name = "stream")");
    const auto keys = keys_of_tables(workloads);
    const Layers layers{layer(root, "set", keys), layer(root, "defaults", keys)};
    for (const toml::table* const table : workloads)
        append(experiment.workloads, read_workload(*table, file, layers));
    check_labels(workloads);
    for (const toml::table* const table :
         tables(root, "matrix", R"(say what to compare, for example policy = ["os", "idlest"])"))
        append(experiment.matrix, read_strategies(*table, layers));
    return experiment;
}

/// The settings of the command line take their places in the document: a key of the top level there, any other in
/// `[set]`.
void apply(std::span<const Setting> settings, toml::table& root) {
    for (const auto& [key, value] : settings) {
        toml::table parsed = toml::parse(fmt::format("{} = {}", key, value), set_option);
        toml::table* target = &root;
        if (!is_top_level(key)) {
            if (!root.contains("set")) root.insert("set", toml::table{});
            target = root["set"].as_table();
            if (target == nullptr) return;  // layer() says what is wrong with it
        }
        target->insert_or_assign(key, std::move(*parsed.get(key)));
    }
}

/// The parser recurses once per part of a dotted key: line of one with absurdly many, 0 when there is none.
int line_nested_too_deeply(std::string_view text) {
    constexpr int most_dots = 1000;
    int line = 1;
    int dots = 0;
    for (const char c : text) {
        if (c == '\n') {
            ++line;
            dots = 0;
        }
        if (c == '.' && ++dots > most_dots) return line;
    }
    return 0;
}

}  // namespace

bool is_top_level(std::string_view key) {
    return std::ranges::find(top_value_keys, key) != top_value_keys.end();
}

Result<Experiment> parse_experiment(std::string_view toml_text, const std::string& file,
                                    std::span<const Setting> settings) {
    if (const int line = line_nested_too_deeply(toml_text); line != 0)
        return usage_error(fmt::format("{}:{}: a key nested too deeply", file, line));
    try {
        toml::table root = toml::parse(toml_text, file);
        apply(settings, root);
        return read_experiment(root, file);
    } catch (const toml::parse_error& error) {
        return usage_error(fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
    } catch (const Mistake& found) {
        return usage_error(fmt::format("{}: {}", place_of(file, found.line), found.message));
    }
}

std::vector<ConfigKey> known_config_keys() {
    std::vector<ConfigKey> keys;
    const auto add = [&keys](std::string_view table, std::span<const std::string_view> names) {
        for (const std::string_view name : names)
            keys.push_back({table, name});
    };
    add("", top_value_keys);
    add("requires", requires_keys);
    add("workload", workload_keys);
    add("matrix", matrix_keys);
    for (const WorkloadCommand& command : workload_commands())
        for (const WorkloadOption& option : command.options)
            keys.push_back({command.name, option.key});
    return keys;
}

}  // namespace pinwise
