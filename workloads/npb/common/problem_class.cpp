#include "workloads/npb/common/problem_class.hpp"

#include <cctype>
#include <cstddef>

namespace pinwise::npb {

namespace {

constexpr std::string_view letters = "SWABCDEF";

}  // namespace

std::string_view to_string(ProblemClass problem_class) {
    return letters.substr(static_cast<std::size_t>(problem_class), 1);
}

std::optional<ProblemClass> parse_class(std::string_view letter) {
    if (letter.size() != 1) return std::nullopt;
    const auto capital = static_cast<char>(std::toupper(static_cast<unsigned char>(letter.front())));
    const std::size_t place = letters.find(capital);
    if (place == std::string_view::npos) return std::nullopt;
    return all_classes.at(place);
}

}  // namespace pinwise::npb
