#include "runner/report/html.hpp"

#include "placer/quoted.hpp"

namespace pinwise::report {

std::string escaped(std::string_view text) {
    std::string markup;
    for (const char c : on_one_line(text)) {
        switch (c) {
            case '&':
                markup += "&amp;";
                break;
            case '<':
                markup += "&lt;";
                break;
            case '>':
                markup += "&gt;";
                break;
            case '"':
                markup += "&quot;";
                break;
            case '\'':
                markup += "&#39;";
                break;
            default:
                markup += c;
        }
    }
    return markup;
}

}  // namespace pinwise::report
