#pragma once
/// How the readers of a config take values out of TOML: each says what it wants, and a value that is something else
/// ends the reading with its line.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "runner/config/experiment.hpp"

namespace pinwise::toml_values {

/// Longest time limit.
inline constexpr double max_timeout_s = 1e6;

/// Thrown while a config is read, and caught by parse_experiment() only: there are dozens of places where reading can
/// stop, and one caller.
struct Mistake {
    int line;
    std::string message;
};

template <class... Args>
[[noreturn]] void mistake(int line, fmt::format_string<Args...> format, Args&&... args) {
    throw Mistake{line, fmt::format(format, std::forward<Args>(args)...)};
}

/// As ConfigValue has it: 0 for what does not stand in the file but was given with --set.
int line_of(const toml::source_region& region);
int line_of(const toml::node& node);

[[noreturn]] void wrong_type(std::string_view key, const toml::node& node, std::string_view wanted);

void reject_unknown_keys(const toml::table& table, std::span<const std::string_view> known, std::string_view where);

std::int64_t integer_between(std::string_view key, const toml::node& node, std::int64_t low, std::int64_t high);
bool boolean(std::string_view key, const toml::node& node);
std::string string(std::string_view key, const toml::node& node);
double seconds(std::string_view key, const toml::node& node);

/// A string, or a number as text.
ConfigValue scalar(std::string_view key, const toml::node& node);
/// One value or a list of values.
std::vector<ConfigValue> axis(std::string_view key, const toml::node& node);

/// The tables of `[key]` or `[[key]]`, at least one.
std::vector<const toml::table*> tables(const toml::table& root, std::string_view key, std::string_view wanted);

/// Letters, digits, '-', '_' and '.', not first: what is safe in a file's name.
bool is_plain_name(std::string_view text, std::size_t longest);

}  // namespace pinwise::toml_values
