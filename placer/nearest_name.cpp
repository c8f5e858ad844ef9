#include "placer/nearest_name.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace pinwise {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t column = 0; column < row.size(); ++column)
        row[column] = column;
    for (std::size_t line = 1; line <= a.size(); ++line) {
        std::size_t diagonal = row[0]++;
        for (std::size_t column = 1; column <= b.size(); ++column) {
            const std::size_t substituted = diagonal + (a[line - 1] == b[column - 1] ? 0 : 1);
            diagonal = row[column];
            row[column] = std::min({row[column] + 1, row[column - 1] + 1, substituted});
        }
    }
    return row.back();
}

std::optional<std::string_view> similar_name(std::string_view word, std::span<const std::string_view> names) {
    const auto lower = [](std::string_view text) {
        std::string result(text);
        std::ranges::transform(result, result.begin(),
                               [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        return result;
    };
    std::optional<std::string_view> best;
    std::size_t best_distance = 0;
    for (const std::string_view name : names) {
        const std::size_t distance = edit_distance(lower(word), lower(name));
        if (2 * distance > std::max(word.size(), name.size())) continue;
        if (best && distance >= best_distance) continue;
        best = name;
        best_distance = distance;
    }
    return best;
}

}  // namespace pinwise
