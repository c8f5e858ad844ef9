#pragma once
/// Which rows take part in a comparison. Pure.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"
#include "runner/compare/grouping.hpp"
#include "runner/record/trials_csv.hpp"

namespace pinwise {

class RowFilter {
public:
    /// Only rows whose property matches one of the shell patterns; none: every row.
    void want(GroupKey key, std::vector<std::string> patterns);

    /// Also remembers what there is, for check().
    bool passes(const TrialRow& row, std::string_view file);

    /// After the last row: a pattern that no row matched is a usage error that says what there is.
    [[nodiscard]] Result<void> check() const;

private:
    struct Wanted {
        std::vector<std::string> patterns;
        std::set<std::string> there_is;
        std::string last_value;  ///< of the row before: most rows are like it
        bool last_passed = false;
    };
    std::map<GroupKey, Wanted> wanted_;
};

/// Whether a text matches one of the shell patterns.
bool matches_any(const std::string& text, const std::vector<std::string>& patterns);

}  // namespace pinwise
