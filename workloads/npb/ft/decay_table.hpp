#pragma once
/// The decay of every Fourier mode, which separates: exp(−4α·π²·|κ|²·t) is a product of one factor for each dimension.

#include <cstddef>
#include <span>
#include <vector>

namespace pinwise::npb::ft {

/// Factors of one dimension of n points: for each step t = 1 … steps the n values exp(−4α·π²·κ(j)²·t), with the wave
/// numbers κ(j) = 0, 1, …, n/2 − 1, −n/2, …, −1.
class DecayTable {
public:
    DecayTable(std::size_t n, int steps);

    [[nodiscard]] std::span<const double> of_step(int step) const {
        return std::span(factors_).subspan(static_cast<std::size_t>(step - 1) * n_, n_);
    }

private:
    std::size_t n_;
    std::vector<double> factors_;
};

}  // namespace pinwise::npb::ft
