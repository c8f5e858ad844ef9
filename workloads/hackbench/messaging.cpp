#include "workloads/hackbench/messaging.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace pinwise::hackbench {

namespace {

bool pass_gate(const Gate& gate, FirstFault& fault) {
    const char ready = 'r';
    pollfd wake{gate.wake_fd, POLLIN, 0};
    bool passed = write(gate.ready_fd, &ready, 1) == 1;
    while (passed && poll(&wake, 1, -1) != 1)
        passed = errno == EINTR;
    if (!passed) fault.note(FirstFault::What::gate, errno);
    return passed;
}

/// A stream takes what fits: the rest is written by and by.
bool write_all(int fd, std::span<const char> message) {
    while (!message.empty()) {
        const ssize_t written = write(fd, message.data(), message.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        message = message.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

void FirstFault::note(What what, int error_number) {
    std::uint64_t none = 0;
    const std::uint64_t packed =
        std::uint64_t{static_cast<std::uint32_t>(what)} << 32U | static_cast<std::uint32_t>(error_number);
    packed_.compare_exchange_strong(none, packed);
}

FirstFault::Fault FirstFault::get() const {
    const std::uint64_t packed = packed_.load();
    return {static_cast<What>(packed >> 32U), static_cast<int>(packed & 0xffffffffU)};
}

std::string fault_text(const FirstFault::Fault& fault) {
    const char* const error = std::strerror(fault.error_number);
    switch (fault.what) {
        case FirstFault::What::none:
            return "";
        case FirstFault::What::gate:
            return fmt::format("a worker could not wait for the start: {}", error);
        case FirstFault::What::send:
            return fmt::format("a sender could not write: {}", error);
        case FirstFault::What::receive:
            return fmt::format("a receiver could not read: {}",
                               fault.error_number == 0 ? "its senders ended before the last message" : error);
        case FirstFault::What::thread:
            return fmt::format(
                "a thread could not be started: {}; the limits are ulimit -u, the cgroup's pids.max and "
                "kernel.threads-max",
                error);
    }
    return "";
}

bool send_messages(const Traffic& traffic, const Gate& gate, std::span<const int> receivers, FirstFault& fault) {
    if (!pass_gate(gate, fault)) return false;
    const std::vector<char> message(static_cast<std::size_t>(traffic.message_bytes), 'm');
    for (int loop = 0; loop < traffic.loops; ++loop) {
        for (const int fd : receivers) {
            if (write_all(fd, message)) continue;
            fault.note(FirstFault::What::send, errno);
            return false;
        }
    }
    return true;
}

bool receive_messages(const Traffic& traffic, const Gate& gate, int fd, int senders, FirstFault& fault) {
    if (!pass_gate(gate, fault)) return false;
    std::vector<char> message(static_cast<std::size_t>(traffic.message_bytes));
    const std::uint64_t messages = static_cast<std::uint64_t>(senders) * static_cast<std::uint64_t>(traffic.loops);
    std::uint64_t bytes_due = messages * message.size();
    while (bytes_due > 0) {
        const std::size_t most = bytes_due < message.size() ? static_cast<std::size_t>(bytes_due) : message.size();
        const ssize_t got = read(fd, message.data(), most);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            fault.note(FirstFault::What::receive, got == 0 ? 0 : errno);
            return false;
        }
        bytes_due -= static_cast<std::uint64_t>(got);
    }
    return true;
}

}  // namespace pinwise::hackbench
