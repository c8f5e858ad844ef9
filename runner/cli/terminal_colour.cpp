#include "runner/cli/terminal_colour.hpp"

#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace pinwise::cli {

bool stdout_takes_colour() {
    const char* const refused = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    return isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0') && !dumb;
}

}  // namespace pinwise::cli
