#pragma once
/// What a job of numa_test does: random updates over an array of its own, with sums that prove every one of them.
/// After randupdt of Focht's numa_test (2002): a[ix[i]] += b[i] over all i, sweep after sweep, the same indices in
/// every job. There b changes between sweeps and nothing is checked; here b stays, so that the sums are known
/// beforehand.

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/common/expected.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/page_residence.hpp"

namespace pinwise::numa_test {

/// Memory for each element: two doubles and an index.
inline constexpr std::uint64_t element_bytes = 2 * sizeof(double) + sizeof(std::uint32_t);
inline constexpr std::uint64_t most_elements = 400'000'000;
/// Most updates (elements × sweeps): the sums are then whole numbers below 2^53, which doubles hold exactly.
inline constexpr std::uint64_t most_updates = (std::uint64_t{1} << 53U) / 256;

/// Sum over a, and sum over a weighted by position: an update that was lost, doubled or went astray shows.
struct Sums {
    double plain = 0;
    double weighted = 0;

    bool operator==(const Sums&) const = default;
};

class RandomUpdates {
public:
    /// Maps the arrays; nothing is touched.
    static workloads::Expected<RandomUpdates> map(std::uint64_t elements, workloads::ThpAdvice thp);

    /// First touch: a = 0, b and the indices by a fixed seed.
    void fill();

    [[nodiscard]] std::uint64_t elements() const { return a_.size(); }

    /// a[ix[i]] += b[i] for begin ≤ i < end.
    void update(std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i)
            a_[index_[i]] += b_[i];
    }

    [[nodiscard]] Sums sums() const;
    /// What sums() has to be after so many whole sweeps.
    [[nodiscard]] Sums expected_sums(std::uint64_t sweeps) const;

    [[nodiscard]] workloads::MemoryRange memory() const { return mapping_.bytes(); }

private:
    explicit RandomUpdates(workloads::HugePageMapping mapping, std::uint64_t elements);

    workloads::HugePageMapping mapping_;
    std::span<double> a_;
    std::span<double> b_;
    std::span<std::uint32_t> index_;
};

}  // namespace pinwise::numa_test
