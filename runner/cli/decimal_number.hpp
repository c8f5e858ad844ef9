#pragma once
/// Numbers on the command line are decimal: CLI11 would read 010 as octal and "" as 0.

#include <string>

#include <CLI/CLI.hpp>

namespace pinwise::cli {

/// Refuses everything but an optional minus and digits without a leading zero.
inline CLI::Validator decimal_number() {
    const auto check = [](const std::string& text) -> std::string {
        const std::size_t first = text.starts_with('-') ? 1 : 0;
        const bool digits = text.size() > first && text.find_first_not_of("0123456789", first) == std::string::npos;
        const bool leading_zero = text.size() > first + 1 && text[first] == '0';
        return digits && !leading_zero ? "" : "\"" + text + "\" is not a decimal number";
    };
    return {check, "", "decimal"};
}

}  // namespace pinwise::cli
