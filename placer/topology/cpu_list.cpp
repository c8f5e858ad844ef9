#include "placer/topology/cpu_list.hpp"

#include <charconv>

#include <fmt/format.h>

#include "placer/quoted.hpp"

namespace pinwise {

namespace {

/// Reads one list from left to right and remembers where it is, for the error.
class CpuListParser {
public:
    explicit CpuListParser(std::string_view text) : text_(text) {}

    Result<std::vector<int>> parse() {
        if (text_.empty()) return usage_error("CPU list is empty: give CPUs such as 0,4-7");
        while (true) {
            if (auto item = parse_item(); !item) return tl::unexpected(item.error());
            if (at_end()) return cpus_;
            if (!accept(',')) return error_here("expected ',' or the end");
        }
    }

private:
    Result<void> parse_item() {
        const std::size_t item_start = position_;
        const auto first = parse_number("a CPU number");
        if (!first) return tl::unexpected(first.error());
        if (!accept('-')) {
            cpus_.push_back(*first);
            return {};
        }
        const auto last = parse_number("the last CPU of the range");
        if (!last) return tl::unexpected(last.error());
        if (*last < *first) return error_at(item_start, fmt::format("range {}-{} is reversed", *first, *last));
        int used = 1;
        int group = 1;
        if (accept(':')) {
            const std::size_t stride_start = position_;
            const auto stride = parse_number("a stride");
            if (!stride) return tl::unexpected(stride.error());
            group = *stride;
            if (accept('/')) {
                const auto group_size = parse_number("a group size");
                if (!group_size) return tl::unexpected(group_size.error());
                used = *stride;
                group = *group_size;
            }
            if (group == 0 || used == 0) return error_at(stride_start, "a stride or group of 0 selects nothing");
            if (used > group) return error_at(stride_start, fmt::format("cannot use {} CPUs of every {}", used, group));
        }
        for (int cpu = *first; cpu <= *last; ++cpu) {
            if ((cpu - *first) % group < used) cpus_.push_back(cpu);
        }
        return {};
    }

    Result<int> parse_number(std::string_view wanted) {
        if (at_end() || text_[position_] < '0' || text_[position_] > '9')
            return error_here(fmt::format("expected {}", wanted));
        int value = 0;
        const char* begin = text_.data() + position_;
        const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (code != std::errc{} || value > max_cpu_number) {
            return error_at(position_, fmt::format("the number is larger than {}", max_cpu_number));
        }
        position_ += static_cast<std::size_t>(end - begin);
        return value;
    }

    bool accept(char wanted) {
        if (at_end() || text_[position_] != wanted) return false;
        ++position_;
        return true;
    }

    [[nodiscard]] bool at_end() const { return position_ == text_.size(); }

    [[nodiscard]] tl::unexpected<Error> error_at(std::size_t position, std::string_view what) const {
        return usage_error(fmt::format("CPU list {}: position {}: {}", in_quotes(text_), position + 1, what));
    }

    [[nodiscard]] tl::unexpected<Error> error_here(std::string_view what) const {
        const std::string found =
            at_end() ? "the list ends" : fmt::format("found '{}'", printable(text_.substr(position_, 1)));
        return error_at(position_, fmt::format("{}, but {}", what, found));
    }

    std::string_view text_;
    std::size_t position_ = 0;
    std::vector<int> cpus_;
};

}  // namespace

Result<std::vector<int>> parse_cpu_list(std::string_view text) {
    return CpuListParser(text).parse();
}

std::string format_cpu_list(const CpuSet& cpus) {
    std::string text;
    for (int first = cpus.first(); first >= 0;) {
        int last = first;
        while (cpus.test(last + 1))
            ++last;
        if (!text.empty()) text += ',';
        text += last == first ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
        first = cpus.next(last);
    }
    return text;
}

}  // namespace pinwise
