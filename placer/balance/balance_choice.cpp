#include "placer/balance/balance_choice.hpp"

#include <charconv>

#include <fmt/format.h>

#include "placer/policy/node_loads.hpp"
#include "placer/quoted.hpp"

namespace pinwise {

Result<int> parse_cross_node_bal(std::string_view text) {
    int percent = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (problem != std::errc{} || end != text.data() + text.size() || percent < least_cross_node_bal ||
        percent > most_cross_node_bal) {
        return usage_error(fmt::format(
            "{} is no cross_node_bal: a whole number of percent, {} to {}; a thread may leave its node when 100 x the "
            "busiest node's load exceeds it x the own load",
            in_quotes(text), least_cross_node_bal, most_cross_node_bal));
    }
    return percent;
}

Result<std::optional<int>> parse_balance(std::string_view text) {
    constexpr std::string_view word = "node-affine";
    if (text == "none") return std::nullopt;
    if (text == word) return default_cross_node_bal;
    if (!text.starts_with(word) || text.substr(word.size(), 1) != ":") {
        return usage_error(
            fmt::format("unknown balance {}: none, node-affine or node-affine:PERCENT", in_quotes(text)));
    }
    auto percent = parse_cross_node_bal(text.substr(word.size() + 1));
    if (!percent) return tl::unexpected<Error>(percent.error());
    return *percent;
}

Bind bind_under_balancer(Bind bind) {
    return bind == Bind::initial ? Bind::node : bind;
}

}  // namespace pinwise
