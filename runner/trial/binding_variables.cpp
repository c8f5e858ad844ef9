#include "runner/trial/binding_variables.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include <strings.h>
#include <unistd.h>

namespace pinwise {
namespace {

constexpr std::array<const char*, 5> binding{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY",
                                             "KMP_HW_SUBSET"};
constexpr std::array<std::string_view, 3> openmp_prefixes{"OMP_", "GOMP_", "KMP_"};

}  // namespace

std::map<std::string, std::string> remove_binding_variables() {
    std::map<std::string, std::string> removed;
    for (const char* const name : binding) {
        const char* const value = getenv(name);
        if (value == nullptr) continue;
        removed.emplace(name, value);
        unsetenv(name);
    }
    return removed;
}

std::vector<std::string> variables_that_bind() {
    const auto is = [](std::string_view value, std::string_view word) {
        return value.size() == word.size() && strncasecmp(value.data(), word.data(), word.size()) == 0;
    };
    const char* const proc_bind = getenv("OMP_PROC_BIND");
    if (proc_bind != nullptr && is(proc_bind, "false")) return {};
    std::vector<std::string> found;
    for (const char* const name : binding) {
        const char* const value = getenv(name);
        if (value == nullptr || *value == '\0' || name == std::string_view("KMP_HW_SUBSET")) continue;
        if (name == std::string_view("KMP_AFFINITY") && (is(value, "none") || is(value, "disabled"))) continue;
        found.push_back(std::string(name) + "=" + value);
    }
    return found;
}

std::map<std::string, std::string> openmp_variables() {
    std::map<std::string, std::string> found;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        const std::size_t equals = variable.find('=');
        for (const std::string_view prefix : openmp_prefixes)
            if (equals != std::string_view::npos && variable.starts_with(prefix))
                found.emplace(variable.substr(0, equals), variable.substr(equals + 1));
    }
    return found;
}

}  // namespace pinwise
