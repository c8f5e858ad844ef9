#include "runner/compare/grouping.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace pinwise {
namespace {

constexpr std::array keys_in_order{GroupKey::file,    GroupKey::workload,  GroupKey::parameters, GroupKey::threads,
                                   GroupKey::variant, GroupKey::policy,    GroupKey::cpus,       GroupKey::bind,
                                   GroupKey::memory,  GroupKey::migration, GroupKey::balance};

constexpr std::array of_case{GroupKey::workload, GroupKey::parameters, GroupKey::threads};
constexpr std::array of_strategy{GroupKey::variant, GroupKey::policy,    GroupKey::cpus,   GroupKey::bind,
                                 GroupKey::memory,  GroupKey::migration, GroupKey::balance};

std::vector<GroupKey> list(std::span<const GroupKey> first, std::span<const GroupKey> second = {}) {
    std::vector<GroupKey> keys(first.begin(), first.end());
    for (const GroupKey key : second)
        keys.push_back(key);
    return keys;
}

constexpr std::array file_only{GroupKey::file};

/// The text of a key without a copy; threads have none.
std::string_view text_of(GroupKey key, const TrialRow& row, std::string_view file) {
    switch (key) {
        case GroupKey::file:
            return file;
        case GroupKey::workload:
            return row.workload;
        case GroupKey::parameters:
            return row.parameters;
        case GroupKey::variant:
            return row.variant;
        case GroupKey::policy:
            return row.policy;
        case GroupKey::cpus:
            return row.cpus;
        case GroupKey::bind:
            return row.bind;
        case GroupKey::memory:
            return row.memory;
        case GroupKey::migration:
            return row.migration;
        case GroupKey::balance:
            return row.balance;
        case GroupKey::threads:
            break;
    }
    return {};
}

}  // namespace

bool Grouping::columns_have(GroupKey key) const {
    return std::ranges::find(columns, key) != columns.end();
}

Grouping columns_are_strategies() {
    return {list(of_case), list(of_strategy)};
}

Grouping columns_are_files() {
    return {list(of_case, of_strategy), list(file_only)};
}

Grouping columns_are_files_and_strategies() {
    return {list(of_case), list(file_only, of_strategy)};
}

Result<Grouping> tables_by(std::string_view keys) {
    Grouping grouping;
    while (true) {
        const std::string_view word = keys.substr(0, keys.find(','));
        const auto key = std::ranges::find(keys_in_order, word, [](GroupKey each) { return to_string(each); });
        if (key == keys_in_order.end()) {
            std::string known;
            for (const GroupKey each : keys_in_order)
                known += fmt::format("{}{}", known.empty() ? "" : ", ", to_string(each));
            return usage_error(fmt::format("--group-by: unknown key \"{}\"; known: {}", word, known));
        }
        grouping.tables.push_back(*key);
        if (word.size() == keys.size()) break;
        keys.remove_prefix(word.size() + 1);
    }
    for (const GroupKey key : keys_in_order)
        if (std::ranges::find(grouping.tables, key) == grouping.tables.end()) grouping.columns.push_back(key);
    return grouping;
}

std::string_view to_string(GroupKey key) {
    constexpr std::array<std::string_view, keys_in_order.size()> words{"file",    "workload",  "parameters", "threads",
                                                                       "variant", "policy",    "cpus",       "bind",
                                                                       "memory",  "migration", "balance"};
    return words.at(static_cast<std::size_t>(key));
}

std::span<const GroupKey> group_keys() {
    return keys_in_order;
}

std::string value_of(GroupKey key, const TrialRow& row, std::string_view file) {
    return key == GroupKey::threads ? std::to_string(row.threads) : std::string(text_of(key, row, file));
}

void append_key(std::string& text, std::span<const GroupKey> keys, const TrialRow& row, std::string_view file) {
    constexpr char separator = '\n';
    for (const GroupKey key : keys) {
        if (key == GroupKey::threads) {
            std::array<char, 12> digits{};
            const auto written = std::to_chars(digits.begin(), digits.end(), row.threads);
            text.append(digits.data(), static_cast<std::size_t>(written.ptr - digits.data()));
        } else {
            text += text_of(key, row, file);
        }
        text += separator;
    }
}

}  // namespace pinwise
