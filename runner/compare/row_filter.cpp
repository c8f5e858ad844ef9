#include "runner/compare/row_filter.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fnmatch.h>

namespace pinwise {

bool matches_any(const std::string& text, const std::vector<std::string>& patterns) {
    return std::ranges::any_of(
        patterns, [&](const std::string& pattern) { return fnmatch(pattern.c_str(), text.c_str(), 0) == 0; });
}

void RowFilter::want(GroupKey key, std::vector<std::string> patterns) {
    if (!patterns.empty()) wanted_[key].patterns = std::move(patterns);
}

bool RowFilter::passes(const TrialRow& row, std::string_view file) {
    bool passes = true;
    for (auto& [key, wanted] : wanted_) {
        const std::string value = value_of(key, row, file);
        if (wanted.there_is.empty() || value != wanted.last_value) {
            wanted.there_is.insert(value);
            wanted.last_passed = matches_any(value, wanted.patterns);
            wanted.last_value = value;
        }
        passes = passes && wanted.last_passed;
    }
    return passes;
}

Result<void> RowFilter::check() const {
    for (const auto& [key, wanted] : wanted_) {
        for (const std::string& pattern : wanted.patterns) {
            const auto matches = [&](const std::string& value) { return matches_any(value, {pattern}); };
            if (std::ranges::any_of(wanted.there_is, matches)) continue;
            return usage_error(fmt::format("--{} {}: no trial matches; there are {}", to_string(key), pattern,
                                           fmt::join(wanted.there_is, ", ")));
        }
    }
    return {};
}

}  // namespace pinwise
