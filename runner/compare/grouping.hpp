#pragma once
/// What makes a table and what makes a column of it. Pure.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"
#include "runner/record/trials_csv.hpp"

namespace pinwise {

/// A property of a row that rows can be told apart by.
enum class GroupKey : std::uint8_t {
    file,
    workload,
    parameters,
    threads,
    variant,
    policy,
    cpus,
    bind,
    memory,
    migration,
    balance,
};

/// Rows that agree in every key of `tables` are one table, and within it rows that agree in every key of `columns` one
/// column. Rows that differ in other keys are put together.
struct Grouping {
    std::vector<GroupKey> tables;
    std::vector<GroupKey> columns;

    [[nodiscard]] bool columns_have(GroupKey key) const;
};

/// A table per workload, parameters and threads, a column per strategy; files are put together.
Grouping columns_are_strategies();
/// A table per workload, parameters, threads and strategy, a column per file.
Grouping columns_are_files();
/// A table per workload, parameters and threads, a column per file and strategy.
Grouping columns_are_files_and_strategies();
/// A table per combination of these keys; everything else makes columns. `keys` has commas in between; an unknown key
/// is a usage error that lists them.
Result<Grouping> tables_by(std::string_view keys);

/// The word of a key: "workload".
std::string_view to_string(GroupKey key);
std::span<const GroupKey> group_keys();

/// The property's value as text; `file` is that of the row.
std::string value_of(GroupKey key, const TrialRow& row, std::string_view file);

/// Everything the keys tell rows apart by, as one text.
void append_key(std::string& text, std::span<const GroupKey> keys, const TrialRow& row, std::string_view file);

}  // namespace pinwise
