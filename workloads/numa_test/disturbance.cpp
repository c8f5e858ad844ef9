#include "workloads/numa_test/disturbance.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "workloads/common/allowed_cpus.hpp"
#include "workloads/common/monotonic_time.hpp"

namespace pinwise::numa_test {

namespace {

constexpr std::size_t most_text = 65536;

std::string own_folder() {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::string(".") : self.parent_path().string();
}

std::vector<std::string> environment_of_others() {
    const char* const path = getenv("PATH");
    std::vector<std::string> variables{
        fmt::format("PATH={}:{}", own_folder(), path != nullptr ? path : "/usr/bin:/bin")};
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        if (!text.starts_with("PATH=") && !text.starts_with("LD_PRELOAD=")) variables.emplace_back(text);
    }
    return variables;
}

}  // namespace

workloads::Expected<void> Disturbance::start(workloads::ChildProcesses& children) {
    auto pipe = workloads::make_pipe();
    if (!pipe) return tl::unexpected(pipe.error());
    fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
    started_ns_ = workloads::monotonic_ns();
    const auto pid = children.start({.command = {"/bin/sh", "-c", command_},
                                     .environment = environment_of_others(),
                                     .cpus = workloads::allowed_cpus(),
                                     .output_fd = pipe->write.get()});
    if (!pid) return tl::unexpected(pid.error());
    pid_ = *pid;
    output_ = std::move(pipe->read);
    return {};
}

void Disturbance::read_output() {
    std::array<char, 4096> buffer{};
    while (output_.is_open()) {
        const ssize_t got = read(output_.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            output_.close();
        } else if (text_.size() < most_text) {
            text_.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }
}

workloads::Expected<void> Disturbance::note_end(const workloads::ChildEnd& end) {
    if (end.pid != pid_ || has_ended()) return {};
    ended_ns_ = end.seen_ns;
    read_output();
    if (end.ended_well()) return {};
    const std::string last = said();
    return workloads::failed_run(fmt::format("the disturbance '{}' failed: {}{}{}", command_,
                                             workloads::end_text(end.wait_status), last.empty() ? "" : ": ", last));
}

double Disturbance::elapsed_s() const {
    return workloads::seconds_between(started_ns_, ended_ns_);
}

std::string Disturbance::said() const {
    std::istringstream lines(text_);
    std::string last;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("Time:")) return line;
        if (!line.empty()) last = line;
    }
    return last;
}

}  // namespace pinwise::numa_test
