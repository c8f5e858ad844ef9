#pragma once
/// The program that shakes the jobs: somebody else's load, the same whatever is done to the jobs.

#include <cstdint>
#include <string>

#include "workloads/common/child_processes.hpp"
#include "workloads/common/expected.hpp"

namespace pinwise::numa_test {

class Disturbance {
public:
    /// Nothing runs yet. `command` is for /bin/sh; empty: there is none.
    explicit Disturbance(std::string command) : command_(std::move(command)) {}

    /// With the affinity this process is told to have, without LD_PRELOAD, and with the folder of this program first
    /// in PATH.
    workloads::Expected<void> start(workloads::ChildProcesses& children);

    [[nodiscard]] bool is_due() const { return !command_.empty() && pid_ == 0; }
    [[nodiscard]] bool is_running() const { return pid_ != 0 && ended_ns_ == 0; }
    [[nodiscard]] bool has_ended() const { return ended_ns_ != 0; }
    /// For wait(): where its output comes from; −1 when there is none to come.
    [[nodiscard]] int output_fd() const { return output_.get(); }
    void read_output();
    /// Its process has ended, if `end` is that of it. A bad end is a failed run: the jobs were not disturbed as asked.
    workloads::Expected<void> note_end(const workloads::ChildEnd& end);

    [[nodiscard]] const std::string& command() const { return command_; }
    [[nodiscard]] std::int64_t ended_ns() const { return ended_ns_; }
    [[nodiscard]] double elapsed_s() const;
    /// Its line with "Time:", else its last line.
    [[nodiscard]] std::string said() const;

private:
    std::string command_;
    pid_t pid_ = 0;
    std::int64_t started_ns_ = 0;
    std::int64_t ended_ns_ = 0;
    workloads::Descriptor output_;
    std::string text_;
};

}  // namespace pinwise::numa_test
