#pragma once
/// Values of /proc and /sys as text, with the reason where there is none.

#include <string>
#include <string_view>

#include "placer/result.hpp"

namespace pinwise {

class SystemFiles {
public:
    /// `root` is "" for the live system, or a folder that stands for it.
    explicit SystemFiles(std::string root) : root_(std::move(root)) {}

    /// Content of a file without the blanks, line ends and NULs at its end. The error says why it cannot be read.
    [[nodiscard]] Result<std::string> read(std::string_view path) const;
    /// Value of the first `key : value` line of a file such as /proc/cpuinfo or /proc/meminfo.
    [[nodiscard]] Result<std::string> field(std::string_view path, std::string_view key) const;
    [[nodiscard]] const std::string& root() const { return root_; }

private:
    std::string root_;
};

/// This process's folder in the unified hierarchy of control groups, as a path for read(). The error says why not.
Result<std::string> own_cgroup(const SystemFiles& files);

/// The word in brackets of a kernel choice file: "madvise" of "always [madvise] never".
Result<std::string> chosen_word(const Result<std::string>& choices);

}  // namespace pinwise
