// What the agent costs: pthread_create + join under the agent against pthread_create with an affinity attribute and
// without agent, and the start of a process.
//
//     bench_thread_create [--rounds N] [--threads N] [--topology SOURCE]
//
// Starts itself as the measured child (--measure), with and without a session, round by round in turn, and compares
// medians. The session is given the machine of --topology, so the cost on a large machine is measured on any: only its
// allowed CPUs must exist here.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/agent/descriptor.hpp"
#include "placer/agent/launch.hpp"
#include "placer/agent/session.hpp"
#include "placer/agent/session_memory.hpp"
#include "placer/topology/load_machine.hpp"

namespace {

using namespace pinwise;

struct Options {
    int rounds = 20;
    int threads = 1000;
    std::string topology = "live";
    std::string measure;
};

void* nothing(void* argument) {
    return argument;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// The first allowed CPU that the caller is not on: where the agent puts a thread when nothing else runs, so that both
/// pay for waking the same CPU.
int other_cpu(const std::vector<int>& cpus) {
    const int own = sched_getcpu();
    const auto found = std::ranges::find_if(cpus, [own](int cpu) { return cpu != own; });
    return found == cpus.end() ? own : *found;
}

/// Time of create + join, median over the threads. With an attribute, the thread is put on another CPU.
double median_create_ns(const std::vector<int>& cpus, int threads, bool with_attribute) {
    std::vector<double> times;
    pthread_attr_t attributes;
    for (int i = 0; i < threads; ++i) {
        const std::int64_t start = session_time_ns();
        pthread_attr_init(&attributes);
        if (with_attribute) {
            cpu_set_t cpu;
            CPU_ZERO(&cpu);
            CPU_SET(other_cpu(cpus), &cpu);
            pthread_attr_setaffinity_np(&attributes, sizeof(cpu), &cpu);
        }
        pthread_t thread{};
        if (pthread_create(&thread, with_attribute ? &attributes : nullptr, nothing, nullptr) != 0) return 0;
        pthread_join(thread, nullptr);
        times.push_back(static_cast<double>(session_time_ns() - start));
        pthread_attr_destroy(&attributes);
    }
    return median(std::move(times));
}

/// The child: "attribute" or "plain" prints the median; "start" does nothing.
int measure(const Options& options) {
    if (options.measure == "start") return 0;
    const std::vector<int> cpus = CpuMask::of_thread(0).to_cpu_set().to_vector();
    // As under the agent, which binds the initial thread too.
    if (options.measure == "attribute") static_cast<void>(CpuMask::only(sched_getcpu()).apply_to(0));
    // The first threads pay for stacks and, under the agent, have their migrations counted.
    const bool with_attribute = options.measure == "attribute";
    median_create_ns(cpus, options.threads, with_attribute);
    fmt::print("{}\n", median_create_ns(cpus, options.threads, with_attribute));
    return 0;
}

struct Ran {
    double printed = 0;
    double wall_ns = 0;
};

Ran run(const Options& options, const char* what, const Session* session, const CpuSet& cpus) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    LaunchSpec spec;
    spec.command = {"/proc/self/exe", "--measure", what, "--threads", std::to_string(options.threads)};
    if (session != nullptr) spec.environment = session->environment();
    spec.cpus = cpus;
    spec.stdout_fd = writing.get();
    const std::int64_t start = session_time_ns();
    const auto child = launch(spec);
    if (!child) throw std::runtime_error(child.error().message);
    writing = Descriptor();
    std::string text(64, '\0');
    const ssize_t count = read(reading.get(), text.data(), text.size());
    waitpid(*child, nullptr, 0);
    Ran ran{.printed = 0, .wall_ns = static_cast<double>(session_time_ns() - start)};
    if (count > 0) ran.printed = std::stod(text);
    return ran;
}

Session make_session(const Machine& machine, const CpuSet& allowed, const char* policy) {
    auto session = Session::create(machine, {.policy = policy, .bind = Bind::cpu, .allowed = allowed});
    if (!session) throw std::runtime_error(session.error().message);
    return *std::move(session);
}

void compare(const Options& options) {
    const auto machine = load_machine(options.topology);
    if (!machine) throw std::runtime_error(machine.error().message);
    const CpuSet here = CpuMask::of_thread(0).to_cpu_set();
    std::vector<double> with_attribute;
    std::vector<double> placed;
    std::vector<double> start_alone;
    std::vector<double> start_placed;
    for (int round = 0; round < options.rounds; ++round) {
        with_attribute.push_back(run(options, "attribute", nullptr, here).printed);
        const Session session = make_session(*machine, here, "idlest");
        placed.push_back(run(options, "plain", &session, here).printed);
        start_alone.push_back(run(options, "start", nullptr, here).wall_ns);
        start_placed.push_back(run(options, "start", &session, here).wall_ns);
    }
    const double attribute_us = median(with_attribute) / 1000;
    const double placed_us = median(placed) / 1000;
    fmt::print("machine {}, {} CPUs, {} rounds of {} threads\n", options.topology, machine->pus.size(), options.rounds,
               options.threads);
    fmt::print("create + join: with an affinity attribute {:.2f} us, under the agent {:.2f} us: {:.3f}\n", attribute_us,
               placed_us, placed_us / attribute_us);
    fmt::print("process start to end: alone {:.3f} ms, with the agent {:.3f} ms: + {:.3f} ms\n",
               median(start_alone) / 1e6, median(start_placed) / 1e6,
               (median(start_placed) - median(start_alone)) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"The cost of the agent"};
    Options options;
    app.add_option("--rounds", options.rounds)->check(CLI::PositiveNumber);
    app.add_option("--threads", options.threads)->check(CLI::PositiveNumber);
    app.add_option("--topology", options.topology, "The machine the session believes to be on");
    app.add_option("--measure", options.measure);
    CLI11_PARSE(app, argc, argv);
    try {
        if (!options.measure.empty()) return measure(options);
        compare(options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_thread_create: {}\n", error.what());
        return 1;
    }
    return 0;
}
