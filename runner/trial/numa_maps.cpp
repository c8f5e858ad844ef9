#include "runner/trial/numa_maps.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace pinwise {

namespace {

constexpr std::uint64_t base_page_bytes = 4096;
/// Node numbers above this are no nodes.
constexpr std::size_t most_nodes = 1024;

void add_pages(std::vector<std::uint64_t>& pages_on_node, std::size_t node, std::uint64_t pages) {
    if (pages_on_node.size() <= node) pages_on_node.resize(node + 1);
    pages_on_node[node] += pages;
}

std::string_view take_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

template <class Number>
std::optional<Number> number(std::string_view text, int base = 10) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// One word of a line, "N0=12" for example.
void apply_word(std::string_view word, NumaMapping& mapping) {
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view{} : word.substr(equals + 1);
    if (equals == std::string_view::npos) {
        if (key == "heap" || key == "stack") mapping.file = key;
        return;
    }
    if (key == "file") {
        mapping.file = value;
        return;
    }
    const auto count = number<std::uint64_t>(value);
    if (!count) return;
    if (key == "anon") mapping.anonymous_pages = *count;
    if (key == "kernelpagesize_kB") mapping.page_bytes = *count * 1024;
    if (!key.starts_with('N')) return;
    if (const auto node = number<std::size_t>(key.substr(1)); node && *node < most_nodes)
        add_pages(mapping.pages_on_node, *node, *count);
}

}  // namespace

std::vector<NumaMapping> parse_numa_maps(std::string_view text) {
    std::vector<NumaMapping> mappings;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const auto start = number<std::uintptr_t>(take_word(line), 16);
        if (!start) continue;
        NumaMapping mapping;
        mapping.start = *start;
        mapping.policy = take_word(line);
        for (std::string_view word = take_word(line); !word.empty(); word = take_word(line))
            apply_word(word, mapping);
        mappings.push_back(std::move(mapping));
    }
    return mappings;
}

std::vector<std::uint64_t> anonymous_pages_on_node(std::span<const NumaMapping> mappings) {
    std::vector<std::uint64_t> all;
    for (const NumaMapping& mapping : mappings) {
        if (mapping.anonymous_pages == 0 || (!mapping.file.empty() && mapping.file != "heap")) continue;
        for (std::size_t node = 0; node < mapping.pages_on_node.size(); ++node)
            add_pages(all, node, mapping.pages_on_node[node] * mapping.page_bytes / base_page_bytes);
    }
    return all;
}

}  // namespace pinwise
