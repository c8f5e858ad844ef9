#pragma once
/// Typed reading of a config's TOML nodes. For the reader of configs alone: what is wrong is thrown as a Mistake,
/// because that reader has dozens of places where it can stop, and one caller.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "runner/config/experiment.hpp"

namespace pinwise {

/// As ConfigValue has it: 0 for what does not stand in the file but was given with --set.
int line_of(const toml::source_region& region);
int line_of(const toml::node& node);

struct Mistake {
    int line;
    std::string message;
};

template <class... Args>
[[noreturn]] void mistake(int line, fmt::format_string<Args...> format, Args&&... args) {
    throw Mistake{line, fmt::format(format, std::forward<Args>(args)...)};
}

[[noreturn]] void wrong_type(std::string_view key, const toml::node& node, std::string_view wanted);

void reject_unknown_keys(const toml::table& table, std::span<const std::string_view> known, std::string_view where);

std::int64_t integer_between(std::string_view key, const toml::node& node, std::int64_t low, std::int64_t high);
bool boolean(std::string_view key, const toml::node& node);
std::string string(std::string_view key, const toml::node& node);
/// More than 0, at most `most`.
double seconds(std::string_view key, const toml::node& node, double most);

/// One value or a list of values, each a string or a whole number.
std::vector<ConfigValue> axis(std::string_view key, const toml::node& node);

/// The tables of `[key]` or `[[key]]`; `wanted` says what one that is missing would hold.
std::vector<const toml::table*> tables(const toml::table& root, std::string_view key, std::string_view wanted);

}  // namespace pinwise
