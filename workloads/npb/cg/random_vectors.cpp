#include "workloads/npb/cg/random_vectors.hpp"

#include <algorithm>
#include <bit>

namespace pinwise::npb::cg {

RandomVectors::RandomVectors(std::size_t n, std::size_t nonzeros) {
    entries_.reserve(n * (nonzeros + 1));
    starts_.reserve(n + 1);
    starts_.push_back(0);
    RandomStream random;
    random.next();  // NPB's driver draws one before
    for (std::size_t i = 0; i < n; ++i)
        draw_vector(i, n, nonzeros, random);
    find_incidence();
}

void RandomVectors::draw_vector(std::size_t i, std::size_t n, std::size_t nonzeros, RandomStream& random) {
    const std::size_t first = entries_.size();
    // A position is drawn from the next power of two, and drawn again where it is beyond n.
    const int shift = 46 - std::countr_zero(std::bit_ceil(n));
    const auto find = [&](std::size_t position) {
        return std::find_if(entries_.begin() + static_cast<std::ptrdiff_t>(first), entries_.end(),
                            [&](const Entry& entry) { return entry.position == position; });
    };
    while (entries_.size() - first < nonzeros) {
        const double value = random.next();
        const std::size_t position = random.next_state() >> static_cast<unsigned>(shift);
        if (position < n && find(position) == entries_.end()) entries_.push_back({static_cast<Index>(position), value});
    }
    if (const auto own = find(i); own != entries_.end()) {
        own->value = 0.5;
    } else {
        entries_.push_back({static_cast<Index>(i), 0.5});
    }
    starts_.push_back(entries_.size());
}

void RandomVectors::find_incidence() {
    const std::size_t n = size();
    incidence_starts_.resize(n + 1);
    for (const Entry& entry : entries_)
        ++incidence_starts_[entry.position + 1];
    for (std::size_t position = 0; position < n; ++position)
        incidence_starts_[position + 1] += incidence_starts_[position];
    incidence_.resize(entries_.size());
    std::vector<std::size_t> next(incidence_starts_.begin(), incidence_starts_.end() - 1);
    for (std::size_t i = 0; i < n; ++i)
        for (const Entry& entry : vector(i))
            incidence_[next[entry.position]++] = static_cast<Index>(i);
}

std::size_t RandomVectors::products_in_row(std::size_t position) const {
    std::size_t products = 0;
    for (const Index i : vectors_with(position))
        products += vector(i).size();
    return products;
}

std::uint64_t RandomVectors::bytes_needed(std::size_t n, std::size_t nonzeros) {
    return std::uint64_t{n} * ((nonzeros + 1) * (sizeof(Entry) + sizeof(Index)) + 3 * sizeof(std::size_t));
}

}  // namespace pinwise::npb::cg
