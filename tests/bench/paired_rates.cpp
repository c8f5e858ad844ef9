#include "tests/bench/paired_rates.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/core.h>

namespace pinwise::bench {

namespace {

/// The sample below which `share` of them lie (nearest rank).
double quantile(std::vector<double> samples, double share) {
    std::sort(samples.begin(), samples.end());
    return samples.at(static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1) + 0.5));
}

double median_ratio(const std::vector<double>& rates, const std::vector<double>& reference) {
    std::vector<double> ratios(rates.size());
    std::transform(rates.begin(), rates.end(), reference.begin(), ratios.begin(), std::divides<>());
    return quantile(ratios, 0.5);
}

}  // namespace

void print_paired_rates(const std::string& title, const std::vector<PairedRates>& loops) {
    const PairedRates* best = nullptr;
    for (const auto& loop : loops)
        if (loop.is_reference && (best == nullptr || quantile(loop.gb_per_s, 0.5) > quantile(best->gb_per_s, 0.5)))
            best = &loop;
    fmt::print("{}, ratios to {}\n", title, best == nullptr ? "nothing" : best->name);
    for (const auto& loop : loops) {
        fmt::print("  {:<28}{:>8.2f} GB/s  ({:.2f} to {:.2f})", loop.name, quantile(loop.gb_per_s, 0.5),
                   quantile(loop.gb_per_s, 0.25), quantile(loop.gb_per_s, 0.75));
        if (best != nullptr) fmt::print("  ratio {:.3f}", median_ratio(loop.gb_per_s, best->gb_per_s));
        fmt::print("\n");
    }
    std::fflush(stdout);
}

}  // namespace pinwise::bench
