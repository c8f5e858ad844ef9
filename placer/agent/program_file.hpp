#pragma once
/// Programs as files: where PATH has them, and whether the preload agent can follow them.

#include <string>
#include <string_view>

namespace pinwise {

enum class ProgramState { found, missing, not_executable };

struct ProgramFile {
    ProgramState state = ProgramState::missing;
    std::string path;  ///< the file when found, else the name as it was given
};

/// As execvp finds it: a name with a slash is a path, any other is looked for in `search_path` ("/bin:/usr/bin").
ProgramFile find_program(std::string_view name, std::string_view search_path);
/// The same in the caller's own PATH.
ProgramFile find_program(std::string_view name);

/// The file whose code runs when the program behind a path or name is started: of a script, its interpreter; of a file
/// without #! line, the shell. Empty when there is none, or it cannot be read.
std::string program_image(const std::string& program);

/// Whether and why such a file gains privileges when it is started; empty when it does not.
std::string why_image_gains_privileges(const std::string& image);

/// Why the program behind a path or name cannot be followed by the preload agent: statically linked, setuid, another
/// architecture or C library. Empty when it can, and when there is no such file. A script is judged by its
/// interpreter.
std::string why_agent_cannot_follow(const std::string& program);

}  // namespace pinwise
