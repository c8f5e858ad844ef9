#include "workloads/common/size_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/core.h>

namespace pinwise::workloads {

namespace {

struct Unit {
    std::string_view name;
    std::uint64_t bytes;
};

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t kb = 1000;
constexpr std::array<Unit, 13> units{{{"b", 1},
                                      {"kb", kb},
                                      {"kib", kib},
                                      {"k", kib},
                                      {"mb", kb* kb},
                                      {"mib", kib* kib},
                                      {"m", kib* kib},
                                      {"gb", kb* kb* kb},
                                      {"gib", kib* kib* kib},
                                      {"g", kib* kib* kib},
                                      {"tb", kb* kb* kb* kb},
                                      {"tib", kib* kib* kib* kib},
                                      {"t", kib* kib* kib* kib}}};
// Larger than any machine's memory, and far below where 64 bits or a double's 53 would be in the way.
constexpr double largest_size = 1e15;

std::optional<std::uint64_t> unit_bytes(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const auto* found =
        std::find_if(units.begin(), units.end(), [&](const Unit& candidate) { return candidate.name == lower; });
    if (found == units.end()) return std::nullopt;
    return found->bytes;
}

}  // namespace

Expected<SizeText> parse_size(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    const auto scale = unit.empty() ? std::optional<std::uint64_t>(1) : unit_bytes(unit);
    if (error != std::errc{} || !scale)
        return users_mistake(
            fmt::format("'{}' is no size: give a number of elements such as 10000000, or bytes with a unit "
                        "such as 256MiB (B, kB, KiB, MB, MiB, GB, GiB, TB, TiB)",
                        text));
    const double value = number * static_cast<double>(*scale);
    if (!(value >= 1) || value > largest_size || (unit.empty() && number != std::floor(number)))
        return users_mistake(fmt::format("'{}' is no usable size: a whole number from 1 to 1e15 is", text));
    return SizeText{static_cast<std::uint64_t>(value), !unit.empty()};
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 5> names{"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < names.size(); ++unit)
        value /= 1024;
    return fmt::format("{:.4g} {}", value, names.at(unit));
}

}  // namespace pinwise::workloads
