#pragma once
/// A folder of small files that stands for /sys or / in a test, gone when the test ends.

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <unistd.h>

namespace pinwise::test {

class TemporaryTree {
public:
    TemporaryTree() {
        std::string name = (std::filesystem::temp_directory_path() / "pinwise-tree-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
        root_ = name;
    }
    TemporaryTree(const TemporaryTree&) = delete;
    TemporaryTree& operator=(const TemporaryTree&) = delete;
    ~TemporaryTree() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

    TemporaryTree& file(const std::string& path, std::string_view content) {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << content;
        return *this;
    }

private:
    std::filesystem::path root_;
};

}  // namespace pinwise::test
