#include "placer/quoted.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pinwise {

namespace {

constexpr unsigned char first_printable = 0x20;
constexpr unsigned char delete_character = 0x7f;
constexpr unsigned char first_beyond_ascii = 0x80;

/// Bytes of the UTF-8 character that starts here; 0 where there is none, or one that a terminal acts on (U+0080-009F).
std::size_t utf8_length(std::string_view text) {
    const auto byte = [text](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : static_cast<unsigned char>(0);
    };
    const unsigned char lead = byte(0);
    const std::size_t length = lead >= 0xf0 && lead <= 0xf4   ? 4
                               : lead >= 0xe0 && lead <= 0xef ? 3
                               : lead >= 0xc2 && lead <= 0xdf ? 2
                                                              : 0;
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte(at) & 0xc0) != first_beyond_ascii) return 0;
    }
    const bool control = lead == 0xc2 && byte(1) < 0xa0;
    return control ? 0 : length;
}

void append_escaped(std::string& out, unsigned char byte) {
    if (byte == '\n') {
        out += "\\n";
    } else if (byte == '\t') {
        out += "\\t";
    } else if (byte == '\r') {
        out += "\\r";
    } else {
        out += fmt::format("\\x{:02x}", byte);
    }
}

std::string printable_start(std::string_view text, std::size_t limit) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size() && at < limit) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool plain = byte >= first_printable && byte < delete_character;
        const std::size_t length = plain ? 1 : byte < first_beyond_ascii ? 0 : utf8_length(text.substr(at));
        if (length == 0) {
            append_escaped(out, byte);
            ++at;
        } else {
            out += text.substr(at, length);
            at += length;
        }
    }
    if (at < text.size()) out += "...";
    return out;
}

}  // namespace

std::string on_one_line(std::string_view text) {
    return printable_start(text, text.size());
}

std::string printable(std::string_view text) {
    return printable_start(text, max_quoted_bytes);
}

std::string as_utf8(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const std::size_t length = byte < first_beyond_ascii ? 1 : utf8_length(text.substr(at));
        if (length == 0) append_escaped(out, byte);
        out += text.substr(at, length);
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

std::string in_quotes(std::string_view text) {
    return fmt::format("\"{}\"", printable(text));
}

}  // namespace pinwise
