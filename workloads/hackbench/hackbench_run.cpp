#include "workloads/hackbench/hackbench_run.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "workloads/common/monotonic_time.hpp"
#include "workloads/common/shared_array.hpp"
#include "workloads/hackbench/messaging.hpp"

namespace pinwise::hackbench {

namespace {

using workloads::ChildProcesses;
using workloads::DescriptorPair;
using workloads::Expected;

/// What workers tell the process that waits for them.
struct Shared {
    FirstFault fault;
    std::atomic<std::int64_t> joined_ns;  ///< thread mode: when the last thread had been joined
};

struct Crew {
    const Options& options;
    ChildProcesses& children;
    Gate gate;
    Shared& shared;

    [[nodiscard]] Traffic traffic() const { return {options.message_bytes, options.loops}; }
};

Expected<DescriptorPair> make_channel(Channel kind) {
    if (kind == Channel::pipe) return workloads::make_pipe();
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return workloads::failed_run(fmt::format("no pair of sockets: {}", std::strerror(errno)));
    return DescriptorPair{workloads::Descriptor(ends[0]), workloads::Descriptor(ends[1])};
}

/// A worker's end is part of what is timed: without exit handlers, of which C programs have none.
[[noreturn]] void end_worker(bool done) {
    _exit(done ? 0 : 1);
}

/// The receivers' ends are closed here as soon as each receiver has its own.
Expected<void> start_group_of_processes(const Crew& crew) {
    const Options& options = crew.options;
    std::vector<workloads::Descriptor> writing_ends;
    std::vector<int> to_receivers;
    for (int i = 0; i < options.fds; ++i) {
        auto channel = make_channel(options.channel);
        if (!channel) return tl::unexpected(channel.error());
        const auto receiver = crew.children.fork([&]() -> int {
            channel->write.close();
            end_worker(
                receive_messages(crew.traffic(), crew.gate, channel->read.get(), options.fds, crew.shared.fault));
        });
        if (!receiver) return tl::unexpected(receiver.error());
        to_receivers.push_back(channel->write.get());
        writing_ends.push_back(std::move(channel->write));
    }
    for (int i = 0; i < options.fds; ++i) {
        const auto sender = crew.children.fork(
            [&]() -> int { end_worker(send_messages(crew.traffic(), crew.gate, to_receivers, crew.shared.fault)); });
        if (!sender) return tl::unexpected(sender.error());
    }
    return {};
}

/// The whole life of the one process of thread mode. A worker that fails ends it, and with it the others, who might
/// wait for a message for ever.
int run_threads(const Crew& crew) {
    const Options& options = crew.options;
    std::vector<DescriptorPair> channels;
    std::vector<std::vector<int>> to_receivers(static_cast<std::size_t>(options.groups));
    std::vector<std::thread> threads;
    const auto start = [&](auto work) {
        threads.emplace_back([work] {
            if (!work()) _exit(1);
        });
    };
    try {
        for (auto& group : to_receivers) {
            for (int i = 0; i < options.fds; ++i) {
                auto channel = make_channel(options.channel);
                if (!channel) throw std::system_error(errno, std::generic_category());
                group.push_back(channel->write.get());
                const int fd = channel->read.get();
                channels.push_back(std::move(*channel));
                start([&crew, fd] {
                    return receive_messages(crew.traffic(), crew.gate, fd, crew.options.fds, crew.shared.fault);
                });
            }
            for (int i = 0; i < options.fds; ++i)
                start([&crew, &group] { return send_messages(crew.traffic(), crew.gate, group, crew.shared.fault); });
        }
    } catch (const std::system_error& error) {
        crew.shared.fault.note(FirstFault::What::thread, error.code().value());
        _exit(1);
    }
    for (std::thread& thread : threads)
        thread.join();
    crew.shared.joined_ns = workloads::monotonic_ns();
    return 0;
}

/// How many children were started.
Expected<int> start_workers(const Crew& crew) {
    const Options& options = crew.options;
    if (options.worker == Worker::thread) {
        const auto child = crew.children.fork([&crew] { return run_threads(crew); });
        if (!child) return tl::unexpected(child.error());
        return 1;
    }
    for (int group = 0; group < options.groups; ++group)
        if (const auto started = start_group_of_processes(crew); !started) return tl::unexpected(started.error());
    return options.workers();
}

/// Counts the children that have ended well; the first other one ends the run.
Expected<int> count_ended(const Crew& crew, const workloads::Happening& happening) {
    if (happening.signal != 0)
        return workloads::failed_run(
            fmt::format("ended by SIG{}; no worker is left running", sigabbrev_np(happening.signal)));
    for (const auto& end : happening.ended) {
        if (end.ended_well()) continue;
        const std::string why = fault_text(crew.shared.fault.get());
        return workloads::failed_run(
            why.empty() ? fmt::format("a worker ended with {}", workloads::end_text(end.wait_status)) : why);
    }
    return static_cast<int>(happening.ended.size());
}

Expected<void> wait_until_ready(const Crew& crew, int ready_fd, std::int64_t until_ns) {
    std::array<char, 4096> said{};
    for (int ready = 0; ready < crew.options.workers();) {
        const auto happening = crew.children.wait(ready_fd, until_ns);
        if (const auto ended = count_ended(crew, happening); !ended) return tl::unexpected(ended.error());
        if (happening.readable)
            ready += static_cast<int>(std::max<ssize_t>(0, read(ready_fd, said.data(), said.size())));
        if (workloads::monotonic_ns() >= until_ns)
            return workloads::failed_run(fmt::format("{} of {} workers were ready within {:g} s (--timeout)", ready,
                                                     crew.options.workers(), crew.options.timeout_s));
    }
    return {};
}

Expected<void> wait_until_ended(const Crew& crew, int children, std::int64_t until_ns) {
    for (int left = children; left > 0;) {
        const auto happening = crew.children.wait(-1, until_ns);
        const auto ended = count_ended(crew, happening);
        if (!ended) return tl::unexpected(ended.error());
        left -= *ended;
        if (left > 0 && workloads::monotonic_ns() >= until_ns)
            return workloads::failed_run(
                fmt::format("not done within {:g} s (--timeout); no worker is left running", crew.options.timeout_s));
    }
    return {};
}

std::uint64_t descriptors_needed(const Options& options) {
    const auto groups = static_cast<std::uint64_t>(options.worker == Worker::thread ? options.groups : 1);
    return 2 * groups * static_cast<std::uint64_t>(options.fds) + 32;
}

}  // namespace

Expected<double> run_hackbench(const Options& options, ChildProcesses& children) {
    const std::string what = fmt::format("hackbench with {} groups", options.groups);
    if (const auto enough = workloads::ensure_descriptors(descriptors_needed(options), what); !enough)
        return tl::unexpected(enough.error());
    const std::int64_t until_ns = workloads::monotonic_ns() + static_cast<std::int64_t>(options.timeout_s * 1e9);
    auto shared = workloads::SharedArray<Shared>::make(1);
    if (!shared) return tl::unexpected(shared.error());
    const auto ready = workloads::make_pipe();
    if (!ready) return tl::unexpected(ready.error());
    const auto wake = workloads::make_pipe();
    if (!wake) return tl::unexpected(wake.error());
    std::signal(SIGPIPE, SIG_IGN);  // a sender whose receiver is gone is to say so
    const Crew crew{options, children, {ready->write.get(), wake->read.get()}, (*shared)[0]};
    const auto started = start_workers(crew);
    if (!started) return tl::unexpected(started.error());
    if (const auto all = wait_until_ready(crew, ready->read.get(), until_ns); !all) return tl::unexpected(all.error());
    const std::int64_t begin_ns = workloads::monotonic_ns();
    if (write(wake->write.get(), "w", 1) != 1) return workloads::failed_run("the workers could not be released");
    if (const auto all = wait_until_ended(crew, *started, until_ns); !all) return tl::unexpected(all.error());
    const std::int64_t joined_ns = crew.shared.joined_ns;
    return workloads::seconds_between(begin_ns, joined_ns != 0 ? joined_ns : workloads::monotonic_ns());
}

}  // namespace pinwise::hackbench
