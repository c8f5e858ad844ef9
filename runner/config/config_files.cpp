#include "runner/config/config_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "placer/nearest_name.hpp"
#include "placer/quoted.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;

/// Where the first sentence ends: not behind an initial, as in "M. Gorman".
std::size_t sentence_end(const std::string& text) {
    constexpr std::string_view stop = ". ";
    std::size_t at = text.find(stop);
    while (at != std::string::npos && at > 0 && text[at - 1] >= 'A' && text[at - 1] <= 'Z')
        at = text.find(stop, at + 1);
    return at;
}

/// Up to the first full stop that ends a sentence of the comment at the top.
std::string first_sentence(const std::string& path) {
    std::ifstream stream(path);
    std::string text;
    for (std::string line; std::getline(stream, line) && line.starts_with("#");) {
        const std::size_t begin = line.find_first_not_of("# ");
        if (begin == std::string::npos) break;
        text += fmt::format("{}{}", text.empty() ? "" : " ", line.substr(begin));
    }
    const std::size_t end = sentence_end(text);
    if (end != std::string::npos) text.resize(end);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

}  // namespace

std::vector<std::string> config_folders() {
    std::vector<std::string> folders{"configs"};
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error) return folders;
    const fs::path prefix = self.parent_path().parent_path();
    folders.push_back((prefix / "share" / "pinwise" / "configs").string());        // installed
    folders.push_back((prefix.parent_path().parent_path() / "configs").string());  // build/PRESET of the source tree
    return folders;
}

std::vector<ConfigFile> list_configs(const std::vector<std::string>& folders) {
    std::vector<ConfigFile> configs;
    for (const std::string& folder : folders) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder, error)) {
            const std::string name = entry.path().stem().string();
            if (entry.path().extension() != ".toml" || std::ranges::count(configs, name, &ConfigFile::name) > 0)
                continue;
            configs.push_back({name, entry.path().string(), first_sentence(entry.path().string())});
        }
    }
    std::ranges::sort(configs, {}, &ConfigFile::name);
    return configs;
}

Result<std::string> find_config(const std::string& name, const std::vector<std::string>& folders) {
    if (is_file(name)) return name;
    for (const std::string& folder : folders)
        for (const std::string_view ending : {"", ".toml"})
            if (const fs::path candidate = fs::path(folder) / (name + std::string(ending)); is_file(candidate))
                return candidate.string();
    const auto configs = list_configs(folders);
    std::vector<std::string_view> names;
    for (const ConfigFile& config : configs)
        names.push_back(config.name);
    const std::string stem = fs::path(name).stem().string();
    const auto beginning = std::ranges::find_if(names, [&](std::string_view each) { return each.starts_with(stem); });
    const auto near = !stem.empty() && beginning != names.end() ? std::optional(*beginning) : similar_name(stem, names);
    return usage_error(fmt::format("no config \"{}\"{}; there are {}; or give the path of a TOML file", printable(name),
                                   near ? fmt::format(": did you mean {}?", *near) : "",
                                   names.empty() ? "none in configs/" : fmt::format("{}", fmt::join(names, ", "))));
}

Result<std::string> read_config_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!is_file(path) || !stream) return usage_error(fmt::format("config file \"{}\" cannot be read", path));
    return text.str();
}

}  // namespace pinwise
