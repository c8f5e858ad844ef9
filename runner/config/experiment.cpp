#include "runner/config/experiment.hpp"

#include <fmt/format.h>

namespace pinwise {

std::string place_of(const std::string& file, int line) {
    return line == 0 ? std::string(set_option) : fmt::format("{}:{}", file, line);
}

}  // namespace pinwise
