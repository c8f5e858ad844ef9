#include "runner/config/toml_values.hpp"

#include <algorithm>
#include <cmath>

#include "runner/config/what_was_meant.hpp"

namespace pinwise::toml_values {

namespace {

std::string_view type_name(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table:
            return "a table";
        case toml::node_type::array:
            return "a list";
        case toml::node_type::string:
            return "a string";
        case toml::node_type::integer:
            return "a whole number";
        case toml::node_type::floating_point:
            return "a number with a fraction";
        case toml::node_type::boolean:
            return "true or false";
        default:
            return "a date or time";
    }
}

}  // namespace

int line_of(const toml::source_region& region) {
    return region.path != nullptr && *region.path == set_option ? 0 : static_cast<int>(region.begin.line);
}

int line_of(const toml::node& node) {
    return line_of(node.source());
}

void wrong_type(std::string_view key, const toml::node& node, std::string_view wanted) {
    mistake(line_of(node), "{} must be {}, not {}", key, wanted, type_name(node));
}

void reject_unknown_keys(const toml::table& table, std::span<const std::string_view> known, std::string_view where) {
    for (const auto& [key, node] : table) {
        if (std::ranges::find(known, key.str()) == known.end())
            mistake(line_of(key.source()), "unknown key \"{}\" in {}{}", key.str(), where,
                    what_was_meant(key.str(), known));
    }
}

std::int64_t integer_between(std::string_view key, const toml::node& node, std::int64_t low, std::int64_t high) {
    const auto value = node.value_exact<std::int64_t>();
    if (!value) wrong_type(key, node, "a whole number");
    if (*value < low || *value > high)
        mistake(line_of(node), "{} is {}; it must be between {} and {}", key, *value, low, high);
    return *value;
}

bool boolean(std::string_view key, const toml::node& node) {
    const auto value = node.value_exact<bool>();
    if (!value) wrong_type(key, node, "true or false");
    return *value;
}

std::string string(std::string_view key, const toml::node& node) {
    auto value = node.value_exact<std::string>();
    if (!value) wrong_type(key, node, "a string");
    return *std::move(value);
}

double seconds(std::string_view key, const toml::node& node) {
    if (!node.is_number()) wrong_type(key, node, "a number of seconds");
    const double value = *node.value<double>();
    if (!(value > 0) || value > max_timeout_s)
        mistake(line_of(node), "{} is {}; it must be more than 0 and at most {}", key, value, max_timeout_s);
    return value;
}

ConfigValue scalar(std::string_view key, const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) return {*text, line_of(node)};
    if (const auto number = node.value_exact<std::int64_t>()) return {fmt::format("{}", *number), line_of(node)};
    if (const auto number = node.value_exact<double>(); number && std::isfinite(*number))
        return {fmt::format("{}", *number), line_of(node)};
    wrong_type(key, node, "a string, a number or a list of them");
}

std::vector<ConfigValue> axis(std::string_view key, const toml::node& node) {
    const toml::array* const list = node.as_array();
    if (list == nullptr) return {scalar(key, node)};
    if (list->empty()) mistake(line_of(node), "{} is an empty list; give at least one value or leave the key out", key);
    std::vector<ConfigValue> values;
    for (const toml::node& each : *list)
        values.push_back(scalar(key, each));
    return values;
}

std::vector<const toml::table*> tables(const toml::table& root, std::string_view key, std::string_view wanted) {
    const toml::node* const node = root.get(key);
    if (node == nullptr) mistake(1, "no [[{}]] table: {}", key, wanted);
    if (const toml::table* const table = node->as_table()) return {table};
    const toml::array* const list = node->as_array();
    if (list == nullptr || list->empty()) wrong_type(key, *node, fmt::format("a table [[{}]]", key));
    std::vector<const toml::table*> found;
    for (const toml::node& each : *list) {
        if (!each.is_table()) wrong_type(key, each, fmt::format("a table [[{}]]", key));
        found.push_back(each.as_table());
    }
    return found;
}

bool is_plain_name(std::string_view text, std::size_t longest) {
    constexpr std::string_view permitted = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    return !text.empty() && text.size() <= longest && text[0] != '.' &&
           text.find_first_not_of(permitted) == std::string_view::npos;
}

}  // namespace pinwise::toml_values
