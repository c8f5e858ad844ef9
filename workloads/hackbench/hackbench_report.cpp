#include "workloads/hackbench/hackbench_report.hpp"

#include <fmt/format.h>

namespace pinwise::hackbench {

workloads::WorkloadReport make_report(const Options& options, double time_s) {
    workloads::WorkloadReport report;
    report.workload = "hackbench";
    report.variant = fmt::format("{}-{}", to_string(options.channel), to_string(options.worker));
    report.parameters = {{"threads", options.workers()},
                         {"groups", options.groups},
                         {"fds", options.fds},
                         {"ipc", to_string(options.channel)},
                         {"mode", to_string(options.worker)},
                         {"message_bytes", options.message_bytes},
                         {"loops", options.loops}};
    report.metrics = {{"Time", "s", time_s, workloads::Better::lower}};
    report.iterations = {{"messages", {time_s}}};
    report.verification.passed = true;  // a receiver that misses a byte ends the run
    report.pages.unavailable_because = "the workers keep no data";
    return report;
}

std::string result_text(const Options& options, double time_s) {
    const bool threads = options.worker == Worker::thread;
    return fmt::format(
        "{} group{} of {} senders and {} receivers: {} {} and {}\n"
        "Each sender passes {} messages of {} bytes to each receiver of its group\n"
        "Time: {:.3f}\n",
        options.groups, options.groups == 1 ? "" : "s", options.fds, options.fds, options.workers(),
        threads ? "threads" : "processes", options.channel == Channel::pipe ? "pipes" : "sockets", options.loops,
        options.message_bytes, time_s);
}

}  // namespace pinwise::hackbench
