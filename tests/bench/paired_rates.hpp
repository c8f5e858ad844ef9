#pragma once
/// Rates of several loops measured in rounds: in each round every loop runs once, so that what disturbs the machine for
/// longer than a round disturbs all of them, and ratios are taken within rounds.

#include <string>
#include <vector>

namespace pinwise::bench {

/// One loop's rates in GB/s (10^9 bytes a second), one a round.
struct PairedRates {
    std::string name;
    bool is_reference = false;
    std::vector<double> gb_per_s;
};

/// Prints, for each loop, the median rate and its quartiles, and the median over the rounds of its rate over that of
/// the best reference (the reference with the highest median) in the same round.
void print_paired_rates(const std::string& title, const std::vector<PairedRates>& loops);

}  // namespace pinwise::bench
