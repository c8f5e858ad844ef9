#include "runner/host/cpu_pair_latency.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include <sys/syscall.h>
#include <unistd.h>

#include "runner/trial/steady_time.hpp"

namespace pinwise {
namespace {

constexpr int rounds = 16;
/// Of one round: there and back.
constexpr int exchanges = 100;
constexpr std::int64_t patience_ns = 50'000'000;
/// A cache line, and the next one, which the hardware fetches with it.
constexpr std::size_t own_lines_bytes = 128;

/// The line that goes to and fro: even when it is the first CPU's turn, odd when it is the second's.
struct alignas(own_lines_bytes) Ball {
    std::atomic<int> turn{0};
    std::atomic<bool> given_up{false};
};

bool hold_on(int cpu) {
    const CpuSet only{cpu};
    return syscall(SYS_sched_setaffinity, 0, only.words().size_bytes(), only.words().data()) == 0;
}

/// Spins until it is the turn; false when somebody gave up.
bool wait_for_turn(Ball& ball, int turn) {
    constexpr int spins_between_looks = 4096;
    const std::int64_t deadline_ns = steady_now_ns() + patience_ns;
    for (int spins = 1; ball.turn.load(std::memory_order_acquire) != turn; ++spins) {
        if (spins % spins_between_looks != 0) continue;
        if (ball.given_up.load(std::memory_order_relaxed)) return false;
        if (steady_now_ns() > deadline_ns) {
            ball.given_up = true;
            return false;
        }
    }
    return true;
}

void answer(Ball& ball, int cpu) {
    if (!hold_on(cpu)) {
        ball.given_up = true;
        return;
    }
    for (int turn = 1; turn < 2 * rounds * exchanges; turn += 2) {
        if (!wait_for_turn(ball, turn)) return;
        ball.turn.store(turn + 1, std::memory_order_release);
    }
}

/// The fastest round's time in one direction; absent when not even one came to its end.
std::optional<double> serve(Ball& ball, int cpu) {
    if (!hold_on(cpu)) {
        ball.given_up = true;
        return std::nullopt;
    }
    std::optional<std::int64_t> fastest_ns;
    int turn = 0;
    for (int round = 0; round < rounds; ++round) {
        const std::int64_t start_ns = steady_now_ns();
        bool whole = true;
        for (int i = 0; i < exchanges && whole; ++i, turn += 2) {
            ball.turn.store(turn + 1, std::memory_order_release);
            whole = wait_for_turn(ball, turn + 2);
        }
        if (!whole) break;
        const std::int64_t round_ns = steady_now_ns() - start_ns;
        fastest_ns = std::min(fastest_ns.value_or(round_ns), round_ns);
    }
    if (!fastest_ns) return std::nullopt;
    return static_cast<double>(*fastest_ns) / (2.0 * exchanges);
}

/// The first pair of one cache.
std::optional<CpuPair> pair_of(const Machine& machine, const Llc& llc, const CpuSet& cpus) {
    const int first = (llc.cpus & cpus & machine.allowed).first();
    const Pu* const pu = machine.pu(first);
    if (pu == nullptr) return std::nullopt;
    const CpuSet others = (llc.cpus & machine.allowed) - machine.cores[static_cast<std::size_t>(pu->core)].cpus;
    if (others.empty()) return std::nullopt;
    return CpuPair{first, others.first()};
}

}  // namespace

std::vector<CpuPair> neighbour_pairs(const Machine& machine, const CpuSet& cpus, std::size_t most) {
    std::vector<CpuPair> all;
    for (const Llc& llc : machine.llcs)
        if (const auto pair = pair_of(machine, llc, cpus)) all.push_back(*pair);
    if (all.size() <= most) return all;
    std::vector<CpuPair> sampled;
    for (std::size_t i = 0; i < most; ++i)
        sampled.push_back(all[i * all.size() / most]);
    return sampled;
}

std::optional<double> exchange_ns(const CpuPair& pair) {
    Ball ball;
    std::optional<double> one_way_ns;
    std::thread second([&] { answer(ball, pair.second); });
    std::thread first([&] { one_way_ns = serve(ball, pair.first); });
    first.join();
    second.join();
    return one_way_ns;
}

std::optional<double> slowest_exchange_ns(std::span<const CpuPair> pairs) {
    std::optional<double> slowest;
    for (const CpuPair& pair : pairs)
        if (const auto one_way_ns = exchange_ns(pair)) slowest = std::max(slowest.value_or(0), *one_way_ns);
    return slowest;
}

}  // namespace pinwise
