#include "placer/agent/agent_library.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

namespace pinwise {

namespace {

constexpr const char* library_name = "libpinwise-agent.so";
constexpr const char* scanning_library_name = "libpinwise-agent-scan.so";

bool is_readable(const std::filesystem::path& path) {
    return access(path.c_str(), R_OK) == 0;
}

}  // namespace

Result<std::string> find_agent_library_beside(std::string_view executable) {
    const std::filesystem::path prefix = std::filesystem::path(executable).parent_path().parent_path();
    const std::array candidates{prefix / "lib" / library_name, prefix / PINWISE_LIBDIR / "pinwise" / library_name};
    for (const auto& candidate : candidates) {
        if (is_readable(candidate)) return candidate.string();
    }
    return failure(fmt::format("the agent is neither {} nor {}: set PINWISE_AGENT to the path of {}",
                               candidates[0].string(), candidates[1].string(), library_name));
}

Result<std::string> find_agent_library() {
    if (const char* chosen = std::getenv("PINWISE_AGENT"); chosen != nullptr && *chosen != '\0') {
        std::error_code error;
        const auto absolute = std::filesystem::absolute(chosen, error);
        if (error || !is_readable(absolute))
            return failure(fmt::format("PINWISE_AGENT={}: no such file, or not readable", chosen));
        return absolute.string();
    }
    std::error_code error;
    const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error)
        return failure(
            "cannot tell where pinwise is installed (/proc/self/exe): set PINWISE_AGENT to the path of the agent");
    return find_agent_library_beside(executable.string());
}

bool is_agent_library(std::string_view path) {
    const std::string name = std::filesystem::path(path).filename().string();
    return name == library_name || name == scanning_library_name;
}

Result<std::string> find_scanning_agent_library() {
    const auto other = find_agent_library();
    if (!other) return other;
    const auto path = std::filesystem::path(*other).replace_filename(scanning_library_name);
    if (is_readable(path)) return path.string();
    return failure(fmt::format("{} does not exist or is not readable: --scan needs it", path.string()));
}

}  // namespace pinwise
