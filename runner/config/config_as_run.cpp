#include "runner/config/config_as_run.hpp"

#include <filesystem>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "runner/config/load_experiment.hpp"

namespace pinwise {
namespace {

std::string toml_string(const std::string& text) {
    std::ostringstream quoted;
    quoted << toml::value<std::string>(text);
    return quoted.str();
}

/// A number, true, false, a string or a list; not a date, which is what some CPU lists look like.
bool is_toml_value(const std::string& text) {
    try {
        const toml::table parsed = toml::parse("v = " + text);
        const toml::node* const node = parsed.get("v");
        return parsed.size() == 1 && (node->is_number() || node->is_boolean() || node->is_string() || node->is_array());
    } catch (const toml::parse_error&) {
        return false;
    }
}

/// A config's text by lines, which are counted from 1.
class Lines {
public:
    explicit Lines(std::string_view text) {
        std::istringstream stream{std::string(text)};
        for (std::string line; std::getline(stream, line);)
            lines_.push_back(line);
    }

    [[nodiscard]] std::string text() const { return fmt::format("{}\n", fmt::join(lines_, "\n")); }

    /// Puts `now` behind line `line` (0: in front).
    void insert_after(std::size_t line, const std::string& now) {
        lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(line), now + "  # as run");
    }

    void replace(std::size_t first, std::size_t last, const std::string& now) {
        lines_[first - 1] = fmt::format("{}  # as run; the file said: {}", now, lines_[first - 1]);
        for (std::size_t line = first + 1; line <= last; ++line)
            lines_[line - 1] = "# " + lines_[line - 1];
    }

    [[nodiscard]] bool is_header(std::size_t line) const {
        const std::string& text = lines_[line - 1];
        const std::size_t at = text.find_first_not_of(" \t");
        return at != std::string::npos && text[at] == '[';
    }

private:
    std::vector<std::string> lines_;
};

std::string as_toml(const toml::node& node) {
    std::ostringstream text;
    text << toml::toml_formatter{node};
    return text.str();
}

/// Whether the file says the same already.
bool holds(const toml::node& written, const Setting& setting) {
    return as_toml(written) == as_toml(*toml::parse("v = " + setting.value).get("v"));
}

std::string with_setting(std::string_view toml_text, const Setting& setting) {
    const toml::table root = toml::parse(toml_text);
    Lines lines(toml_text);
    const bool on_top = is_top_level(setting.key);
    const toml::table* const table = on_top ? &root : root.get_as<toml::table>("set");
    const auto entry = table != nullptr ? table->find(setting.key) : root.end();
    const bool has_header = !on_top && table != nullptr && lines.is_header(table->source().begin.line);
    const std::string now = fmt::format("{}{} = {}", on_top || has_header ? "" : "set.", setting.key, setting.value);
    if (table != nullptr && entry != table->end()) {
        if (holds(entry->second, setting)) return std::string(toml_text);
        lines.replace(entry->first.source().begin.line, entry->second.source().end.line, now);
    } else {
        lines.insert_after(has_header ? table->source().begin.line : 0, now);
    }
    return lines.text();
}

std::string moved_path(const std::string& path, const std::string& from, const std::string& to) {
    if (std::filesystem::path(path).is_absolute()) return path;
    return std::filesystem::proximate(std::filesystem::path(from) / path, to).string();
}

/// A string or a list of strings, as TOML writes it.
std::string moved_paths(const toml::node& node, const std::string& from, const std::string& to) {
    if (const auto path = node.value<std::string>()) return toml_string(moved_path(*path, from, to));
    std::vector<std::string> moved;
    if (const toml::array* const list = node.as_array())
        for (const toml::node& each : *list)
            moved.push_back(toml_string(moved_path(each.value_or(std::string()), from, to)));
    return fmt::format("[{}]", fmt::join(moved, ", "));
}

}  // namespace

Result<Setting> parse_setting(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
        return usage_error(fmt::format("--set \"{}\": key=value is needed, for example --set repetitions=3", text));
    const std::string key(text.substr(0, equals));
    constexpr std::string_view permitted = "abcdefghijklmnopqrstuvwxyz_";
    if (key.find_first_not_of(permitted) != std::string::npos)
        return usage_error(fmt::format(R"(--set "{}": "{}" is no key of a config)", text, key));
    std::string value(text.substr(equals + 1));
    if (!is_toml_value(value)) value = toml_string(value);
    return Setting{key, std::move(value)};
}

std::string config_as_run(std::string_view toml_text, std::span<const Setting> settings) {
    std::string text(toml_text);
    for (const Setting& setting : settings)
        text = with_setting(text, setting);
    return text;
}

std::string config_seen_from(const std::string& folder, const std::string& config_folder, std::string_view toml_text) {
    const toml::table root = toml::parse(toml_text);
    Lines lines(toml_text);
    const auto move = [&](const toml::table& table, std::string_view key) {
        const auto entry = table.find(key);
        if (entry == table.end() || table.is_inline()) return;
        const std::string now = moved_paths(entry->second, config_folder, folder);
        lines.replace(entry->first.source().begin.line, entry->second.source().end.line,
                      fmt::format("{} = {}", key, now));
    };
    move(root, "workload_path");
    if (const toml::table* const one = root.get_as<toml::table>("workload")) move(*one, "working_directory");
    if (const toml::array* const workloads = root.get_as<toml::array>("workload"))
        for (const toml::node& each : *workloads)
            if (each.is_table()) move(*each.as_table(), "working_directory");
    return lines.text();
}

}  // namespace pinwise
