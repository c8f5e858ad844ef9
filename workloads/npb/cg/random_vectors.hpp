#pragma once
/// The sparse random vectors that CG's matrix is the weighted sum of outer products of, and which of them meet a row.

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/npb/common/random.hpp"

namespace pinwise::npb::cg {

using Index = std::uint32_t;

/// Element of a sparse vector.
struct Entry {
    Index position = 0;
    double value = 0;
};

/// NPB's n vectors of length n. Vector i has `nonzeros` random elements at random positions, and ½ at position i.
/// One after the other from one random stream, whose use depends on what is rejected: not parallel.
class RandomVectors {
public:
    RandomVectors(std::size_t n, std::size_t nonzeros);

    [[nodiscard]] std::size_t size() const { return starts_.size() - 1; }

    /// Elements of vector i, in the order drawn.
    [[nodiscard]] std::span<const Entry> vector(std::size_t i) const {
        return std::span(entries_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
    }

    /// Numbers of the vectors that have an element at `position`, ascending.
    [[nodiscard]] std::span<const Index> vectors_with(std::size_t position) const {
        return std::span(incidence_)
            .subspan(incidence_starts_[position], incidence_starts_[position + 1] - incidence_starts_[position]);
    }

    /// Elements of all vectors that have an element at `position`: no fewer than the matrix has in that row.
    [[nodiscard]] std::size_t products_in_row(std::size_t position) const;

    /// Bytes of n vectors.
    static std::uint64_t bytes_needed(std::size_t n, std::size_t nonzeros);

private:
    void draw_vector(std::size_t i, std::size_t n, std::size_t nonzeros, RandomStream& random);
    void find_incidence();

    std::vector<Entry> entries_;
    std::vector<std::size_t> starts_;
    std::vector<Index> incidence_;
    std::vector<std::size_t> incidence_starts_;
};

}  // namespace pinwise::npb::cg
