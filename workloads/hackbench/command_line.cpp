#include "workloads/hackbench/command_line.hpp"

#include <limits>
#include <utility>

#include <CLI/CLI.hpp>

#include "workloads/common/program_options.hpp"

namespace pinwise::hackbench {

namespace {

constexpr const char* description =
    "Disturb the scheduler: groups of senders and receivers that pass messages through pipes or\n"
    "sockets, as many processes or threads. Prints how long they took as 'Time: SECONDS'.";

constexpr const char* footer =
    "Examples:\n"
    "  pinwise-hackbench 20                            20 groups, 800 processes\n"
    "  pinwise-hackbench 4 --ipc pipe --mode thread    160 threads and pipes\n"
    "  pinwise-hackbench --loops 1000 --json -         longer, the result as a document\n"
    "Exit status: 0 all messages arrived, 1 failed run, 2 mistake in the options.";

void add_options(CLI::App& app, Options& options) {
    app.add_option("--groups,groups", options.groups, "Run N groups (default: 10)")
        ->check(CLI::Range(1, most_groups).description(""))
        ->type_name("N");
    app.add_option("--fds", options.fds, "Have N senders and N receivers in each group (default: 20)")
        ->check(CLI::Range(1, most_fds).description(""))
        ->type_name("N");
    app.add_option_function<std::string>(
           "--ipc",
           [&options](const std::string& word) { options.channel = word == "pipe" ? Channel::pipe : Channel::socket; },
           "Pass messages through pairs of Unix sockets or through pipes (default: socket)")
        ->check(CLI::IsMember({"socket", "pipe"}).description(""))
        ->type_name("socket|pipe");
    app.add_option_function<std::string>(
           "--mode",
           [&options](const std::string& word) {
               options.worker = word == "thread" ? Worker::thread : Worker::process;
           },
           "Make every sender and receiver a process, or a thread of one process (default: process)")
        ->check(CLI::IsMember({"process", "thread"}).description(""))
        ->type_name("process|thread");
    app.add_option("--size", options.message_bytes, "Pass messages of N bytes (default: 100)")
        ->check(CLI::Range(1, most_message_bytes).description(""))
        ->type_name("N");
    app.add_option("--loops", options.loops,
                   "Have every sender pass N messages to every receiver of its group (default: 100)")
        ->check(CLI::Range(1, std::numeric_limits<int>::max()).description(""))
        ->type_name("N");
    app.add_option("--timeout", options.timeout_s, "End everything and fail after SECONDS (default: 600)")
        ->check(CLI::Range(0.001, 1e6).description(""))
        ->type_name("SECONDS");
    workloads::add_json_option(app, options.json);
}

}  // namespace

const char* to_string(Channel channel) {
    return channel == Channel::pipe ? "pipe" : "socket";
}

const char* to_string(Worker worker) {
    return worker == Worker::thread ? "thread" : "process";
}

workloads::Expected<CommandLine> parse_command_line(int argc, const char* const* argv) {
    CommandLine command_line;
    CLI::App app{description, "pinwise-hackbench"};
    app.footer(footer);
    app.set_version_flag("--version", std::string("pinwise-hackbench ") + PINWISE_VERSION);
    add_options(app, command_line.options);
    auto text_instead = workloads::parse_arguments(app, argc, argv);
    if (!text_instead) return tl::unexpected(text_instead.error());
    command_line.text_instead = std::move(*text_instead);
    return command_line;
}

}  // namespace pinwise::hackbench
