#include "runner/config/load_experiment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>

#include <fmt/format.h>

#include "placer/agent/session.hpp"
#include "placer/balance/balance_choice.hpp"
#include "placer/memory/memory_policy.hpp"
#include "placer/policy/policies.hpp"
#include "placer/policy/running_rule.hpp"
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

constexpr std::array<std::string_view, 9> top_keys{
    "name", "repetitions", "timeout_s", "seed", "oversubscribe", "workload_path", "requires", "workload", "matrix"};
constexpr std::array<std::string_view, 2> requires_keys{"condition", "reason"};
constexpr std::array<std::string_view, 6> matrix_keys{"cpus", "policy", "bind", "memory", "migration", "balance"};

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

WorkloadAxes read_workload(const toml::table& table, const std::string& file) {
    const toml::node* const name = table.get("name");
    if (name == nullptr)
        mistake(line_of(table), "this [[workload]] has no name{}", what_was_meant("", all_workload_names()));
    WorkloadAxes axes;
    axes.name = {string("name", *name), line_of(*name)};
    if (axes.name.text == external_workload_name) {
        axes.external = read_external(table, file);
        axes.threads = axis_or(table, "threads", "llcs");
        axes.options = {{"label", {{axes.external->label, axes.name.line}}}};
        return axes;
    }
    const WorkloadCommand* const command = find_workload(axes.name.text);
    if (command == nullptr)
        mistake(axes.name.line, "unknown workload \"{}\"{}", axes.name.text,
                what_was_meant(axes.name.text, all_workload_names()));
    std::vector<std::string_view> known{"name", "threads"};
    for (const WorkloadOption& option : command->options)
        known.push_back(option.key);
    reject_unknown_keys(table, known, fmt::format("[[workload]] {}", axes.name.text));
    axes.threads = axis_or(table, "threads", "llcs");
    for (const WorkloadOption& option : command->options) {
        axes.options.emplace_back(option.key, axis_or(table, option.key, option.fallback));
        for (const ConfigValue& value : axes.options.back().second)
            check_option(option, value);
    }
    return axes;
}

/// "idlest@running" becomes the rule's own name, so that a record says which rule it was.
std::string policy_named(const ConfigValue& policy) {
    auto name = concrete_policy_name(policy.text, running_kernel());
    if (!name) mistake(policy.line, "{}", name.error().message);
    if (const auto made = make_policy(*name); !made) mistake(policy.line, "{}", made.error().message);
    return *std::move(name);
}

/// An axis of strategy_words.hpp.
std::vector<ConfigValue> word_axis(const toml::table& table, std::string_view key,
                                   std::span<const std::string_view> words) {
    std::vector<ConfigValue> values = axis_or(table, key, words.front());
    for (const ConfigValue& value : values) {
        if (std::ranges::find(words, value.text) == words.end())
            mistake(value.line, "unknown {} \"{}\"{}", key, value.text, what_was_meant(value.text, words));
    }
    return values;
}

StrategyAxes read_strategies(const toml::table& table) {
    reject_unknown_keys(table, matrix_keys, "[[matrix]]");
    StrategyAxes axes{axis_or(table, "cpus", "all"),
                      axis_or(table, "policy", "os"),
                      axis_or(table, "bind", "initial"),
                      axis_or(table, "memory", "first-touch"),
                      word_axis(table, "migration", migration_words),
                      axis_or(table, "balance", no_balance)};
    for (ConfigValue& policy : axes.policy)
        policy.text = policy_named(policy);
    for (const ConfigValue& balance : axes.balance)
        if (const auto parsed = parse_balance(balance.text); !parsed)
            mistake(balance.line, "{}", parsed.error().message);
    for (const ConfigValue& bind : axes.bind)
        if (const auto parsed = parse_bind(bind.text); !parsed) mistake(bind.line, "{}", parsed.error().message);
    for (const ConfigValue& memory : axes.memory)
        if (const auto parsed = parse_memory_policy(memory.text); !parsed)
            mistake(memory.line, "{}", parsed.error().message);
    return axes;
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
    constexpr std::string_view permitted = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const bool good = !name.empty() && name.size() <= max_name_length && name[0] != '.' &&
                      name.find_first_not_of(permitted) == std::string::npos;
    if (!good)
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

/// Two external workloads of one label could not be told apart in the results.
void add_workload(Experiment& experiment, WorkloadAxes axes) {
    for (const WorkloadAxes& other : experiment.workloads) {
        if (axes.external && other.external && axes.external->label == other.external->label)
            mistake(axes.name.line, "there is an external workload with label \"{}\" already", axes.external->label);
    }
    experiment.workloads.push_back(std::move(axes));
}

Experiment read_experiment(const toml::table& root, const std::string& file) {
    reject_unknown_keys(root, top_keys, "the config");
    Experiment experiment;
    experiment.file = file;
    experiment.name = read_name(root, file);
    if (const toml::node* const node = root.get("repetitions")) {
        experiment.repetitions = static_cast<int>(integer_between("repetitions", *node, 1, max_repetitions));
        experiment.repetitions_line = line_of(*node);
    }
    if (const toml::node* const node = root.get("timeout_s")) experiment.timeout_s = seconds("timeout_s", *node);
    if (const toml::node* const node = root.get("seed")) {
        experiment.seed =
            static_cast<std::uint64_t>(integer_between("seed", *node, 0, std::numeric_limits<std::int64_t>::max()));
        experiment.seed_line = line_of(*node);
    }
    if (const toml::node* const node = root.get("oversubscribe"))
        experiment.oversubscribe = boolean("oversubscribe", *node);
    experiment.workload_path = read_workload_path(root, file);
    if (root.contains("requires"))
        for (const toml::table* const table : tables(root, "requires", ""))
            experiment.requirements.push_back(read_requirement(*table));
    for (const toml::table* const table : tables(root, "workload", R"(say what to run, for example name = "stream")"))
        add_workload(experiment, read_workload(*table, file));
    for (const toml::table* const table :
         tables(root, "matrix", R"(say what to compare, for example policy = ["os", "idlest"])"))
        experiment.matrix.push_back(read_strategies(*table));
    return experiment;
}

/// Replaces a line that says `key = ...`, or puts one in front when there is none (line 0).
void record_value(std::vector<std::string>& lines, int line, std::string_view key, std::uint64_t value) {
    const std::string now = fmt::format("{} = {}", key, value);
    if (line == 0) {
        lines.insert(lines.begin(), now + "  # as run");
        return;
    }
    std::string& written = lines[static_cast<std::size_t>(line) - 1];
    written = fmt::format("{}  # as run; the file said: {}", now, written);
}

}  // namespace

namespace {

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

Result<Experiment> parse_experiment(std::string_view toml_text, const std::string& file) {
    if (const int line = line_nested_too_deeply(toml_text); line != 0)
        return usage_error(fmt::format("{}:{}: a key nested too deeply", file, line));
    try {
        return read_experiment(toml::parse(toml_text, file), file);
    } catch (const toml::parse_error& error) {
        return usage_error(fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
    } catch (const Mistake& found) {
        return usage_error(fmt::format("{}:{}: {}", file, found.line, found.message));
    }
}

Result<std::string> read_config_file(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return usage_error(
            fmt::format("no config file \"{}\"; configs live in the folder configs/ of the source tree and in "
                        "share/pinwise/configs of an installation, for example configs/quick.toml",
                        path));
    }
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) return usage_error(fmt::format("config file \"{}\" cannot be read", path));
    return text.str();
}

std::string config_as_run(std::string_view toml_text, const Experiment& as_written, std::uint64_t seed,
                          int repetitions) {
    std::vector<std::string> lines;
    std::istringstream stream{std::string(toml_text)};
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    if (as_written.repetitions != repetitions && as_written.repetitions_line != 0)
        record_value(lines, as_written.repetitions_line, "repetitions", static_cast<std::uint64_t>(repetitions));
    if (as_written.seed != seed && as_written.seed_line != 0) record_value(lines, as_written.seed_line, "seed", seed);
    if (as_written.repetitions_line == 0)
        record_value(lines, 0, "repetitions", static_cast<std::uint64_t>(repetitions));
    if (as_written.seed_line == 0) record_value(lines, 0, "seed", seed);
    return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace pinwise
