#pragma once
/// One group of hackbench: senders that pass messages to receivers, as they run in their own process or thread.

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace pinwise::hackbench {

/// What each sender does: `loops` messages of `message_bytes` to every receiver of its group.
struct Traffic {
    int message_bytes = 0;
    int loops = 0;
};

/// Workers say at `ready_fd` that they could begin, and begin when `wake_fd` is readable.
struct Gate {
    int ready_fd = -1;
    int wake_fd = -1;
};

/// The first thing that went wrong in any worker, in memory they share; the rest follows from it.
class FirstFault {
public:
    enum class What : std::uint32_t { none, gate, send, receive, thread };
    struct Fault {
        What what = What::none;
        int error_number = 0;
    };

    /// Keeps the first one only.
    void note(What what, int error_number);
    [[nodiscard]] Fault get() const;

private:
    std::atomic<std::uint64_t> packed_;
};

/// "a sender could not write: Broken pipe"; "" for none.
std::string fault_text(const FirstFault::Fault& fault);

/// A sender's life. False: it failed, and `fault` knows why.
bool send_messages(const Traffic& traffic, const Gate& gate, std::span<const int> receivers, FirstFault& fault);

/// A receiver's life: it ends when it has had all bytes that `senders` senders owe it.
bool receive_messages(const Traffic& traffic, const Gate& gate, int fd, int senders, FirstFault& fault);

}  // namespace pinwise::hackbench
