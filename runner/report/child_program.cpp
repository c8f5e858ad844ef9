#include "runner/report/child_program.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pinwise::report {
namespace {

/// What posix_spawn needs to know, freed with it.
class FileActions {
public:
    FileActions() { posix_spawn_file_actions_init(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    FileActions(FileActions&&) = delete;
    FileActions& operator=(FileActions&&) = delete;
    ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

    void open(int fd, const std::string& path, int flags) {
        constexpr mode_t owner_only = 0600;
        posix_spawn_file_actions_addopen(&actions_, fd, path.c_str(), flags, owner_only);
    }
    void change_folder(const std::string& path) { posix_spawn_file_actions_addchdir_np(&actions_, path.c_str()); }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

/// The child's wait status; absent when it had to be ended.
std::optional<int> wait_for(pid_t pid, double timeout_s) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
    int status = 0;
    auto pause = std::chrono::milliseconds(1);
    constexpr auto longest_pause = std::chrono::milliseconds(20);
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= end) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return std::nullopt;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, longest_pause);
    }
    return status;
}

/// Programs quote what they did not like first and say what is wrong with it last.
std::string last_line_with_text(const std::string& path) {
    std::ifstream file(path);
    std::string last = "it said nothing";
    for (std::string line; std::getline(file, line);)
        if (line.find_first_not_of(" \t") != std::string::npos) last = line;
    return last;
}

}  // namespace

Result<void> run_child(const std::vector<std::string>& argv, const std::string& folder, double timeout_s) {
    std::vector<char*> arguments;
    for (const std::string& argument : argv)
        arguments.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not change them
    arguments.push_back(nullptr);
    const std::string error_file = folder + "/stderr";
    FileActions actions;
    actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
    actions.open(STDOUT_FILENO, "/dev/null", O_WRONLY);
    actions.open(STDERR_FILENO, error_file, O_WRONLY | O_CREAT | O_TRUNC);
    actions.change_folder(folder);
    pid_t pid = -1;
    if (const int error = posix_spawnp(&pid, arguments[0], actions.get(), nullptr, arguments.data(), environ);
        error != 0)
        return failure(fmt::format("{} cannot be started: {}", argv[0], std::strerror(error)));
    const auto status = wait_for(pid, timeout_s);
    if (!status) return failure(fmt::format("{} did not end within {:g} s", argv[0], timeout_s));
    if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return {};
    return failure(fmt::format("{} failed: {}", argv[0], last_line_with_text(error_file)));
}

}  // namespace pinwise::report
