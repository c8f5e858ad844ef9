#pragma once
/// How the threads of a program are caught at birth (`--attach`).

#include <optional>
#include <string>
#include <string_view>

#include "placer/result.hpp"

namespace pinwise {

enum class Attach {
    preload,  ///< the agent library inside the program
    ptrace,   ///< a tracer outside: any binary, dearer
};

/// Nothing: "auto".
Result<std::optional<Attach>> parse_attach(std::string_view text);

/// What is used for `program`, a path or a name: what was wished, else ptrace where the preload agent cannot follow or
/// would not see the threads (static and Go programs, another C library or architecture), and preload for all others.
/// `must_follow`: the policy places threads; without it a program that cannot be followed is run all the same.
/// Errors: the program cannot be followed that way (usage), ptrace is not permitted here (failure).
Result<Attach> choose_attach(std::optional<Attach> wish, const std::string& program, bool must_follow);

}  // namespace pinwise
