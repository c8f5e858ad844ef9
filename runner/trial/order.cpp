#include "runner/trial/order.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>
#include <tuple>
#include <utility>

namespace pinwise {
namespace {

/// Uniform in [0, range).
std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t range) {
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t limit = largest - largest % range;
    for (;;) {
        const std::uint64_t draw = generator();
        if (draw < limit) return draw % range;
    }
}

bool same_block(const TrialSpec& a, const TrialSpec& b) {
    return std::tie(a.repetition, a.workload, a.parameters, a.threads) ==
           std::tie(b.repetition, b.workload, b.parameters, b.threads);
}

}  // namespace

std::vector<TrialSpec> interleaved_order(std::vector<TrialSpec> trials, std::uint64_t seed) {
    std::ranges::sort(trials, {}, &TrialSpec::trial);  // expand() numbers them block by block
    std::mt19937_64 generator(seed);
    for (auto begin = trials.begin(); begin != trials.end();) {
        const auto end =
            std::find_if(begin, trials.end(), [&](const TrialSpec& each) { return !same_block(*begin, each); });
        for (std::ptrdiff_t last = end - begin - 1; last > 0; --last) {
            const std::uint64_t chosen = draw_below(generator, static_cast<std::uint64_t>(last) + 1);
            std::swap(begin[last], begin[static_cast<std::ptrdiff_t>(chosen)]);
        }
        begin = end;
    }
    for (std::size_t i = 0; i < trials.size(); ++i)
        trials[i].position = static_cast<int>(i) + 1;
    return trials;
}

std::uint64_t draw_seed() {
    // 32 bits: short enough to be typed again, and inside TOML's signed integers.
    std::random_device device;
    return device();
}

}  // namespace pinwise
