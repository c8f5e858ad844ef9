#pragma once
/// How this program was built.

#include <string_view>

namespace pinwise {

struct BuildFacts {
    std::string_view version;       ///< "0.1.0"
    std::string_view git_revision;  ///< "1a2b3c4d5e6f", "-dirty" behind it when files were changed; "" outside git
    std::string_view compiler;      ///< "GNU 12.2.0"
    std::string_view flags;         ///< of the build type
};

const BuildFacts& build_facts();

}  // namespace pinwise
