#pragma once
/// A folder with a config and a program `pinwise-stream` that is a shell script of the test.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "runner/record/trials_csv.hpp"

namespace pinwise::test {

inline constexpr std::string_view good_json =
    R"({"schema":1,"metrics":[{"name":"Copy","unit":"MB/s","value":1000.5,"better":"higher"}],"verification":{"passed":true}})";

inline std::string read_all(const std::filesystem::path& path) {
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

class RunFixture : public testing::Test {
protected:
    RunFixture() {
        std::string pattern = testing::TempDir() + "/pinwise-run-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        std::filesystem::create_directory(folder_ / "fakes");
    }
    ~RunFixture() override { std::filesystem::remove_all(folder_); }

    /// `body` runs with the JSON file's path in $json and the good document in $good.
    void fake_workload(const std::string& body) const {
        const std::filesystem::path program = folder_ / "fakes" / "pinwise-stream";
        std::ofstream(program)
            << "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = --json ] && json=$2; shift; done\ngood='" << good_json
            << "'\n"
            << body << "\n";
        chmod(program.c_str(), 0755);
    }

    void config(const std::string& head = "repetitions = 1\ntimeout_s = 60\n",
                const std::string& matrix = "[[matrix]]\npolicy = \"os\"\n") const {
        std::ofstream(folder_ / "test.toml")
            << head << "workload_path = \"fakes\"\n[[workload]]\nname = \"stream\"\nthreads = 1\n"
            << matrix;
    }

    [[nodiscard]] std::string command(const std::string& arguments) const {
        return fmt::format("cd '{0}' && exec '{1}/pinwise' {2} >out 2>err </dev/null", folder_.string(),
                           PINWISE_BIN_DIR, arguments);
    }

    [[nodiscard]] Ended pinwise(const std::string& arguments, const std::string& before = "") const {
        const int status = std::system((before + command(arguments)).c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_all(folder_ / "out"),
                read_all(folder_ / "err")};
    }

    [[nodiscard]] std::vector<TrialRow> rows(const std::string& results = "results") const {
        const auto table = parse_trials_csv(read_all(folder_ / results / "trials.csv"), "trials.csv");
        EXPECT_TRUE(table) << table.error().message;
        return table ? table->rows : std::vector<TrialRow>{};
    }

    std::filesystem::path folder_;
};

}  // namespace pinwise::test
