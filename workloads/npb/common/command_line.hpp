#pragma once
/// The options of every NPB program.

#include <optional>
#include <string>

#include "workloads/common/expected.hpp"
#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb {

inline constexpr int most_threads = 4096;

struct Options {
    RunParameters run{ProblemClass::a, workloads::Touch::parallel, workloads::ThpAdvice::on};
    int threads = 1;
    std::string json;  ///< file, "-", or empty for none
};

/// Options, or the text to print and end with (--help, --version).
struct CommandLine {
    Options options;
    std::optional<std::string> text_instead;
};

workloads::Expected<CommandLine> parse_command_line(const Kernel& kernel, int argc, const char* const* argv);

}  // namespace pinwise::npb
