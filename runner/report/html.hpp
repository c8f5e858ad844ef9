#pragma once
/// Markup that cannot be injected into: every text that goes into a page is escaped, by its type.

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace pinwise::report {

/// `text` as character data or inside a quoted attribute: & < > " ' escaped, and what is not printable UTF-8 written
/// as on_one_line() does.
std::string escaped(std::string_view text);

/// A piece of HTML. html() makes one from parts and escapes every part that is not itself Html.
class Html {
public:
    Html() = default;

    Html& operator+=(const Html& more) {
        markup_ += more.markup_;
        return *this;
    }
    friend Html operator+(Html left, const Html& right) { return left += right; }

    [[nodiscard]] bool empty() const { return markup_.empty(); }
    [[nodiscard]] const std::string& markup() const { return markup_; }

    /// For markup that was made and checked elsewhere: the pictures of svg.hpp.
    static Html trusted(std::string markup) {
        Html made;
        made.markup_ = std::move(markup);
        return made;
    }

private:
    std::string markup_;
};

inline std::string as_markup(const Html& part) {
    return part.markup();
}
inline std::string as_markup(std::string_view text) {
    return escaped(text);
}
template <class Number>
requires std::is_arithmetic_v<Number> Number as_markup(Number number) {
    return number;
}

template <class T>
using MarkupOf = decltype(as_markup(std::declval<const T&>()));

/// fmt's patterns, checked when compiled: html("<td title=\"{}\">{}</td>", text, number). Attributes are quoted.
template <class... Args>
Html html(fmt::format_string<MarkupOf<Args>...> pattern, const Args&... args) {
    return Html::trusted(fmt::format(pattern, as_markup(args)...));
}

}  // namespace pinwise::report
