#pragma once
/// A small file as one string.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace pinwise::workloads {

/// All of it. Nothing when it is not there, and what came before the fault when it cannot be read to the end: a process
/// may end between opening and reading its file in /proc, for which std::istreambuf_iterator throws.
inline std::string whole_file(const std::filesystem::path& path) {
    const std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace pinwise::workloads
