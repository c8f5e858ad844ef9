#pragma once
/// A regular expression over the lines of a program's output. The only user of RE2, whose time is linear in the text
/// and whose memory is bounded, whatever the pattern and whatever a program prints.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"

namespace re2 {
class RE2;
}

namespace pinwise {

class OutputPattern {
public:
    /// RE2's syntax: Perl's without backreferences and look-around. Bytes, not characters: output need not be UTF-8.
    /// Errors (usage): what is wrong with it.
    static Result<OutputPattern> compile(const std::string& pattern);

    /// Groups in round brackets that capture.
    [[nodiscard]] int groups() const;
    /// The text of the first group at every match, in order; several in one line too.
    [[nodiscard]] std::vector<std::string> captures(std::string_view text) const;
    /// Some line matches.
    [[nodiscard]] bool matches(std::string_view text) const;

private:
    explicit OutputPattern(std::shared_ptr<const re2::RE2> expression) : expression_(std::move(expression)) {}
    std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace pinwise
