#pragma once
/// Runs the real `pinwise` through a shell, and reads the CSV of `exec --record`.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pinwise {

inline const std::string bin_dir = PINWISE_BIN_DIR;

struct Ran {
    int status = 0;   ///< wait status
    std::string out;  ///< standard output and standard error

    [[nodiscard]] int exit_code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
};

/// A bash script; @ stands for the folder of the built programs.
inline Ran run_shell(std::string command) {
    for (auto at = command.find('@'); at != std::string::npos; at = command.find('@', at + bin_dir.size())) {
        command.replace(at, 1, bin_dir);
    }
    Ran ran;
    setenv("PINWISE_TEST_SCRIPT", command.c_str(), 1);
    FILE* pipe = popen("exec bash -c \"$PINWISE_TEST_SCRIPT\" 2>&1", "r");
    if (pipe == nullptr) return ran;
    std::array<char, 4096> buffer{};
    std::size_t count = 0;
    while ((count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0)
        ran.out.append(buffer.data(), count);
    ran.status = pclose(pipe);
    return ran;
}

/// Most effects are seen on CPUs 0 and 1.
inline bool has_cpus_0_and_1() {
    cpu_set_t cpus;
    return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_ISSET(0, &cpus) && CPU_ISSET(1, &cpus);
}

using Row = std::map<std::string, std::string>;

/// Rows of a CSV file without quoted cells.
inline std::vector<Row> read_rows(const std::string& path) {
    const auto cells = [](std::string line) {
        std::vector<std::string> found;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        std::istringstream in(line + ",");
        for (std::string cell; std::getline(in, cell, ',');)
            found.push_back(cell);
        return found;
    };
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const auto columns = cells(line);
    std::vector<Row> rows;
    while (std::getline(file, line)) {
        const auto values = cells(line);
        Row row;
        for (std::size_t i = 0; i < columns.size() && i < values.size(); ++i)
            row[columns[i]] = values[i];
        rows.push_back(row);
    }
    return rows;
}

struct Recorded {
    Ran ran;
    std::vector<Row> rows;
};

/// `pinwise exec --record FILE ARGUMENTS`.
inline Recorded run_exec(const std::string& arguments) {
    std::array<char, 64> path{"/tmp/pinwise-exec-test-XXXXXX"};
    close(mkstemp(path.data()));
    Recorded recorded;
    recorded.ran = run_shell("exec @/pinwise exec --overwrite --record " + std::string(path.data()) + " " + arguments);
    recorded.rows = read_rows(path.data());
    unlink(path.data());
    return recorded;
}

}  // namespace pinwise
