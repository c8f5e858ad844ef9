#include "runner/cli/printable.hpp"

#include <fmt/format.h>

namespace pinwise::cli {

std::string printable(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '\n') {
            shown += "\\n";
        } else if (c == '\t') {
            shown += "\\t";
        } else if (code < 0x20 || code == 0x7f) {
            shown += fmt::format("\\x{:02x}", code);
        } else {
            shown += c;
        }
    }
    return shown;
}

}  // namespace pinwise::cli
