#include "runner/output/output_pattern.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include "placer/quoted.hpp"

namespace pinwise {

namespace {

/// Calls `look` with every line that is not empty, until it returns false.
template <class Look>
void for_each_line(std::string_view text, Look look) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
        if (!line.empty() && !look(re2::StringPiece(line.data(), line.size()))) return;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
}

}  // namespace

Result<OutputPattern> OutputPattern::compile(const std::string& pattern) {
    re2::RE2::Options options(re2::RE2::Latin1);
    options.set_log_errors(false);
    auto expression = std::make_shared<const re2::RE2>(pattern, options);
    if (!expression->ok())
        return usage_error(
            fmt::format("{} is no regular expression: {}", in_quotes(pattern), on_one_line(expression->error())));
    return OutputPattern(std::move(expression));
}

int OutputPattern::groups() const {
    return expression_->NumberOfCapturingGroups();
}

std::vector<std::string> OutputPattern::captures(std::string_view text) const {
    std::vector<std::string> found;
    for_each_line(text, [&](re2::StringPiece line) {
        re2::StringPiece groups[2];
        for (std::size_t start = 0; start <= line.size();) {
            if (!expression_->Match(line, start, line.size(), re2::RE2::UNANCHORED, groups, 2)) break;
            found.emplace_back(groups[1].data(), groups[1].size());
            const auto end = static_cast<std::size_t>(groups[0].data() - line.data()) + groups[0].size();
            start = groups[0].empty() ? end + 1 : end;
        }
        return true;
    });
    return found;
}

bool OutputPattern::matches(std::string_view text) const {
    bool found = false;
    for_each_line(text, [&](re2::StringPiece line) {
        found = re2::RE2::PartialMatch(line, *expression_);
        return !found;
    });
    return found;
}

}  // namespace pinwise
