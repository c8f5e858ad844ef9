// spin_threads THREADS SECONDS: the smallest program whose placement shows. Threads that only compute, made one after
// the other by a thread that then computes as well. Prints a line per thread: tid, CPU and CLOCK_MONOTONIC at the first
// statement of its routine, CPU at the end.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <span>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace {

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

struct Spinner {
    int tid = 0;
    int first_cpu = -1;
    int last_cpu = -1;
    std::int64_t started_ns = 0;

    void begin() {
        first_cpu = sched_getcpu();
        started_ns = now_ns();
        tid = gettid();
    }

    void spin_until(std::int64_t end_ns) {
        volatile double value = 1.0;
        while (now_ns() < end_ns) {
            for (int step = 0; step < 10'000; ++step)
                value = value * 0.5 + 1.0;
        }
        last_cpu = sched_getcpu();
    }
};

}  // namespace

int main(int argc, char** argv) {
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const int threads = argc == 3 ? std::atoi(arguments[1]) : 0;
    const double seconds = argc == 3 ? std::atof(arguments[2]) : 0;
    if (threads < 1 || seconds <= 0) {
        std::fputs("usage: spin_threads THREADS SECONDS\n", stderr);
        return 2;
    }
    // The first thread costs an emulated CPU milliseconds (its code has to be found, linked and translated), in which
    // the kernel's balancer already works: without it the threads that count follow each other as closely as on
    // hardware.
    std::thread([] {}).join();
    std::vector<Spinner> spinners(static_cast<std::size_t>(threads));
    std::vector<std::thread> others;
    spinners.front().begin();
    const std::int64_t end_ns = spinners.front().started_ns + static_cast<std::int64_t>(seconds * 1e9);
    for (Spinner& spinner : std::span(spinners).subspan(1)) {
        others.emplace_back([&spinner, end_ns] {
            spinner.begin();
            spinner.spin_until(end_ns);
        });
    }
    spinners.front().spin_until(end_ns);
    for (std::thread& other : others)
        other.join();
    std::puts("tid started_ns first_cpu last_cpu");
    for (const Spinner& spinner : spinners)
        std::printf("%d %lld %d %d\n", spinner.tid, static_cast<long long>(spinner.started_ns), spinner.first_cpu,
                    spinner.last_cpu);
    return 0;
}
