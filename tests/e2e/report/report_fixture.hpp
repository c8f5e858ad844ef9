#pragma once
/// `pinwise report` in a folder of its own.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "tests/machines.hpp"
#include "tests/synthetic_results.hpp"

namespace pinwise::test {

namespace fs = std::filesystem;

inline std::string read_all(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

struct Ended {
    int status = 0;
    std::string out;
    std::string err;
};

class Report : public testing::Test {
protected:
    Report() {
        std::string pattern = testing::TempDir() + "/pinwise-report-XXXXXX";
        folder_ = mkdtemp(pattern.data());
    }
    ~Report() override { fs::remove_all(folder_); }

    void results(const std::string& name, SyntheticRun run = {}) const {
        if (run.machine.empty()) run.machine = zen3_nps1;
        write_synthetic_results(folder_ / name, run);
    }

    [[nodiscard]] Ended shell(const std::string& command) const {
        const int status =
            std::system(fmt::format("cd '{}' && {{ {} ; }} >out 2>err </dev/null", folder_.string(), command).c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_all(folder_ / "out"),
                read_all(folder_ / "err")};
    }

    [[nodiscard]] Ended report(const std::string& arguments, const std::string& before = "") const {
        return shell(fmt::format("{} '{}/pinwise' report {}", before, PINWISE_BIN_DIR, arguments));
    }

    [[nodiscard]] std::string page() const { return read_all(folder_ / "report.html"); }

    static bool has_program(const char* name) {
        return std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0;
    }

    fs::path folder_;
};

}  // namespace pinwise::test
