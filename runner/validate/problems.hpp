#pragma once
/// What is wrong with results: collected, so that one look shows all of it.

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace pinwise {

class Problems {
public:
    /// "FILE:LINE: message"; line 0: of the file as a whole; file "": the message says where. Of many in one file only
    /// the first are kept.
    void add(const std::string& file, int line, const std::string& message);

    template <class... Args>
    void add(const std::string& file, int line, fmt::format_string<Args...> format, Args&&... args) {
        add(file, line, fmt::format(format, std::forward<Args>(args)...));
    }

    [[nodiscard]] std::size_t count() const { return count_; }
    /// The lines that were kept, and how many more there are.
    [[nodiscard]] std::vector<std::string> lines() const;

private:
    struct OfFile {
        std::string file;
        std::size_t count = 0;
    };
    std::vector<OfFile> files_;
    std::vector<std::string> kept_;
    std::size_t count_ = 0;
};

}  // namespace pinwise
