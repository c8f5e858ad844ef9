#include "placer/attach/attach_choice.hpp"

#include <fmt/format.h>

#include "placer/agent/program_file.hpp"
#include "placer/attach/go_program.hpp"
#include "placer/attach/ptrace_permission.hpp"

namespace pinwise {

namespace {

constexpr std::string_view way_out = "its threads cannot be placed (--policy os runs it all the same)";

Result<Attach> preload_for(const std::string& obstacle, bool must_follow) {
    if (obstacle.empty() || !must_follow) return Attach::preload;
    return usage_error(fmt::format("{}: {}", obstacle, way_out));
}

/// A traced program does not get the privileges of its file, unless we have them already.
Result<Attach> ptrace_for(const std::string& image) {
    if (const std::string privileged = why_image_gains_privileges(image); !privileged.empty()) {
        return usage_error(fmt::format("{}: it would lose its privileges under ptrace", privileged));
    }
    if (auto permitted = check_ptrace(); !permitted) return tl::unexpected(permitted.error());
    return Attach::ptrace;
}

}  // namespace

Result<std::optional<Attach>> parse_attach(std::string_view text) {
    if (text == "auto") return std::optional<Attach>();
    if (text == "preload") return std::optional(Attach::preload);
    if (text == "ptrace") return std::optional(Attach::ptrace);
    return usage_error(fmt::format("unknown way to attach \"{}\": preload, ptrace or auto", text));
}

Result<Attach> choose_attach(std::optional<Attach> wish, const std::string& program, bool must_follow) {
    const std::string image = program_image(program);
    if (wish == Attach::ptrace) return ptrace_for(image);
    const std::string obstacle = why_agent_cannot_follow(program);
    const bool preload_misses = !obstacle.empty() || is_go_program(image);
    if (wish == Attach::preload || !preload_misses || !why_image_gains_privileges(image).empty()) {
        return preload_for(obstacle, must_follow);
    }
    auto traced = ptrace_for(image);
    if (traced) return traced;
    // The agent sees at least some threads of a dynamically linked Go program.
    if (obstacle.empty() || !must_follow) return Attach::preload;
    return failure(fmt::format("{}, and {}: {}", obstacle, traced.error().message, way_out));
}

}  // namespace pinwise
