#pragma once
/// A program that a test starts and whose processes it can find again, whatever became of them: they all carry a mark
/// in their environment.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/workloads/temporary_tree.hpp"

namespace pinwise::test {

inline std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

class MarkedRun {
public:
    /// Runs a shell command line (start it with "exec", so that pid() is the program's).
    explicit MarkedRun(const std::string& command) {
        static int runs = 0;
        mark_ = "PINWISE_TEST_MARK=" + std::to_string(getpid()) + "." + std::to_string(++runs);
        const std::string out = tree_.root() / "out";
        const std::string err = tree_.root() / "err";
        pid_ = fork();
        if (pid_ != 0) return;
        putenv(mark_.data());
        dup2(open(out.c_str(), O_CREAT | O_WRONLY, 0600), STDOUT_FILENO);
        dup2(open(err.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }
    MarkedRun(const MarkedRun&) = delete;
    MarkedRun& operator=(const MarkedRun&) = delete;
    ~MarkedRun() {
        wait();
        for (const pid_t pid : processes())
            kill(pid, SIGKILL);
    }

    [[nodiscard]] pid_t pid() const { return pid_; }

    /// Waits for its end; the exit status, or 128 + the signal.
    int wait() {
        int status = 0;
        if (!waited_ && waitpid(pid_, &status, 0) == pid_)
            status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        waited_ = true;
        return status_;
    }
    [[nodiscard]] std::string out() const { return text_of(tree_.root() / "out"); }
    [[nodiscard]] std::string err() const { return text_of(tree_.root() / "err"); }

    /// Living processes with the mark whose command line contains `word`, without the program itself.
    [[nodiscard]] std::vector<pid_t> processes(const std::string& word = "") const {
        std::vector<pid_t> found;
        std::error_code error;
        for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
             entry.increment(error)) {
            const int pid = std::atoi(entry->path().filename().c_str());
            if (pid <= 0 || pid == pid_ || pid == getpid()) continue;
            const std::string environment = '\0' + text_of(entry->path() / "environ");
            if (environment.find('\0' + mark_ + '\0') == std::string::npos) continue;
            if (text_of(entry->path() / "cmdline").find(word) != std::string::npos) found.push_back(pid);
        }
        return found;
    }

    /// Asks again and again, for at most 20 s.
    static bool becomes(const std::function<bool()>& condition) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > until) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return true;
    }
    [[nodiscard]] bool nothing_is_left() const {
        return becomes([this] { return processes().empty(); });
    }

private:
    TemporaryTree tree_;
    std::string mark_;
    pid_t pid_ = -1;
    int status_ = -1;
    bool waited_ = false;
};

}  // namespace pinwise::test
