#include "placer/topology/synthetic_description.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "placer/topology/cpu_list.hpp"

namespace pinwise {

namespace {

constexpr auto max_pus = static_cast<std::uint64_t>(max_cpu_number);
/// The time hwloc takes grows with the third power of it: a second for these.
constexpr std::uint64_t max_objects_below_one = 4096;
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 60U;

/// "L3Cache:4(size=32MB)", with its place in the tree.
struct Level {
    std::uint64_t count = 1;      ///< objects below one of the level above
    std::uint64_t total = 1;      ///< in the whole machine; one that is too large may be any such number
    std::string_view attributes;  ///< what stands in brackets
};

std::optional<std::uint64_t> number_at_start(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::result_out_of_range) return ~std::uint64_t{0};
    return error == std::errc{} ? std::optional(number) : std::nullopt;
}

/// A product that may be too large, but not wrap round.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > ~std::uint64_t{0} / b ? ~std::uint64_t{0} : a * b;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

/// From top to bottom. Memory in square brackets hangs beside the level before it and has as many objects.
std::vector<Level> levels_of(std::string_view text) {
    std::vector<Level> levels{Level{}};
    bool is_memory = false;
    std::uint64_t total = 1;
    while (!text.empty()) {
        if (text.front() == '(') {
            const auto end = std::min(text.find(')'), text.size() - 1);
            levels.back().attributes = text.substr(1, end - 1);
            text.remove_prefix(end + 1);
            continue;
        }
        if (text.front() == '[' || text.front() == ']' || text.front() == ' ') {
            if (text.front() != ' ') is_memory = text.front() == '[';
            text.remove_prefix(1);
            continue;
        }
        const std::string_view word = text.substr(0, text.find_first_of(" ([])"));
        const auto colon = word.rfind(':');
        const auto count = number_at_start(colon == std::string_view::npos ? word : word.substr(colon + 1));
        if (!is_memory && count) total = product(total, *count);
        levels.push_back({.count = is_memory ? 1 : count.value_or(1), .total = total, .attributes = {}});
        text.remove_prefix(std::max<std::size_t>(word.size(), 1));
    }
    return levels;
}

std::string why_no_size(std::string_view attribute, std::string_view value, bool may_be_none) {
    const auto number = number_at_start(value);
    const auto unit = value.find_first_not_of("0123456789");
    constexpr std::string_view letters = "kmgt";
    const auto power =
        unit == std::string_view::npos ? std::string_view::npos : letters.find(static_cast<char>(value[unit] | 0x20));
    const std::uint64_t factor = power == std::string_view::npos ? 1 : std::uint64_t{1} << (10 * (power + 1));
    if (number && (*number > 0 || may_be_none) && product(*number, factor) <= max_bytes) return {};
    return fmt::format("{} is no size from {} to 1 EiB, such as 32MB", attribute, may_be_none ? "0" : "1 byte");
}

bool is_list_of_numbers(std::string_view value) {
    return value.find_first_not_of("0123456789,") == std::string_view::npos;
}

bool is_loop(std::string_view part) {
    const auto factors = parts_of(part, '*');
    return factors.size() == 2 && std::ranges::all_of(factors, [](std::string_view factor) {
               return is_list_of_numbers(factor) && number_at_start(factor).value_or(0) > 0;
           });
}

/// "0,2,1,3", "2*16:1*2" (step*times) or names of levels ("core:pu"), which hwloc checks itself.
std::string why_no_indexes(std::string_view attribute, std::string_view value, std::uint64_t total) {
    if (is_list_of_numbers(value)) {
        const auto given = parts_of(value, ',').size();
        return given == total ? "" : fmt::format("{}: {} numbers for {} objects", attribute, given, total);
    }
    const bool has_names = value.find_first_of("0123456789") != 0 && value.front() != '-';
    if (has_names) return {};
    std::uint64_t covered = 1;
    for (const std::string_view part : parts_of(value, ':')) {
        if (!is_loop(part)) return fmt::format("{} is neither a list of numbers nor step*times", attribute);
        covered = product(covered, *number_at_start(part.substr(part.find('*') + 1)));
    }
    return covered <= total && total % covered == 0
               ? ""
               : fmt::format("{} numbers {} objects, and there are {}", attribute, covered, total);
}

std::string why_no_attribute(std::string_view attribute, std::uint64_t total) {
    const auto equals = attribute.find('=');
    if (equals == std::string_view::npos) return {};
    const std::string_view value = attribute.substr(equals + 1);
    if (attribute.starts_with("memory=")) return why_no_size(attribute, value, true);
    if (attribute.substr(0, equals).ends_with("size")) return why_no_size(attribute, value, false);
    if (attribute.starts_with("indexes=") && !value.empty()) return why_no_indexes(attribute, value, total);
    return {};
}

}  // namespace

std::string why_no_machine(std::string_view description) {
    const auto levels = levels_of(description);
    const bool none = std::ranges::any_of(levels, [](const Level& level) { return level.count == 0; });
    if (none || levels.back().total > max_pus) return fmt::format("more than {} PUs, or a count of 0", max_pus);
    for (const Level& level : levels) {
        if (level.count > max_objects_below_one)
            return fmt::format("{} objects below one: at most {}", level.count, max_objects_below_one);
        for (const std::string_view attribute : parts_of(level.attributes, ' '))
            if (auto why = why_no_attribute(attribute, level.total); !why.empty()) return why;
    }
    return {};
}

std::uint64_t synthetic_pu_count(std::string_view description) {
    return levels_of(description).back().total;
}

}  // namespace pinwise
