#pragma once
/// The options of pinwise-hackbench.

#include <optional>
#include <string>

#include "workloads/common/expected.hpp"

namespace pinwise::hackbench {

enum class Channel { socket, pipe };
enum class Worker { process, thread };

/// The options' words for them.
const char* to_string(Channel channel);
const char* to_string(Worker worker);

struct Options {
    int groups = 10;
    int fds = 20;  ///< senders, and as many receivers, in each group
    Channel channel = Channel::socket;
    Worker worker = Worker::process;
    int message_bytes = 100;
    int loops = 100;
    double timeout_s = 600;
    std::string json;

    [[nodiscard]] int workers() const { return groups * 2 * fds; }
};

struct CommandLine {
    Options options;
    std::optional<std::string> text_instead;  ///< of --help and --version: print it and end
};

inline constexpr int most_groups = 1000;
inline constexpr int most_fds = 500;
inline constexpr int most_message_bytes = 1 << 20;

workloads::Expected<CommandLine> parse_command_line(int argc, const char* const* argv);

}  // namespace pinwise::hackbench
