#include "workloads/npb/mg/charges.hpp"

#include <algorithm>
#include <vector>

#include <omp.h>

#include "workloads/common/partition.hpp"
#include "workloads/npb/common/random.hpp"

namespace pinwise::npb::mg {

namespace {

struct Candidate {
    std::uint64_t state = 0;  ///< of the generator: orders as the number does, exactly
    PointNumber point = 0;
};

bool larger(const Candidate& left, const Candidate& right) {
    return left.state > right.state;
}

bool smaller(const Candidate& left, const Candidate& right) {
    return left.state < right.state;
}

/// The first ten by an order, of all that were offered.
class FirstTen {
public:
    using Order = bool (*)(const Candidate&, const Candidate&);

    FirstTen(Order order, std::uint64_t worst_state) : order_(order) { ten_.fill({worst_state, 0}); }

    void offer(const Candidate& candidate) {
        if (!order_(candidate, ten_.back())) return;
        const auto place = std::upper_bound(ten_.begin(), ten_.end(), candidate, order_);
        std::move_backward(place, ten_.end() - 1, ten_.end());
        *place = candidate;
    }

    void offer_all(const FirstTen& others) {
        for (const Candidate& candidate : others.ten_)
            offer(candidate);
    }

    [[nodiscard]] std::array<PointNumber, charges_of_a_sign> points() const {
        std::array<PointNumber, charges_of_a_sign> numbers{};
        std::transform(ten_.begin(), ten_.end(), numbers.begin(), [](const Candidate& each) { return each.point; });
        return numbers;
    }

private:
    Order order_;
    std::array<Candidate, charges_of_a_sign> ten_{};
};

struct Extremes {
    FirstTen largest{larger, 0};
    FirstTen smallest{smaller, lcg_mask + 1};

    void search(const workloads::Slice& points) {
        RandomStream random;
        random.skip(points.begin);
        for (std::size_t point = points.begin; point < points.end; ++point) {
            const Candidate candidate{random.next_state(), point};
            largest.offer(candidate);
            smallest.offer(candidate);
        }
    }
};

double& value_at(Grid grid, PointNumber point) {
    const std::size_t n = grid.shape.n;
    return grid.row(static_cast<std::ptrdiff_t>(point / n % n), static_cast<std::ptrdiff_t>(point / n / n))[point % n];
}

}  // namespace

Charges find_charges(std::size_t n, int threads) {
    Extremes all;
#pragma omp parallel num_threads(threads)
    {
        Extremes part;
        part.search(workloads::slice_of(static_cast<std::size_t>(omp_get_thread_num()),
                                        static_cast<std::size_t>(omp_get_num_threads()), n * n * n));
#pragma omp critical(pinwise_npb_mg_charges)
        {
            all.largest.offer_all(part.largest);
            all.smallest.offer_all(part.smallest);
        }
    }
    return {all.largest.points(), all.smallest.points()};
}

void place_charges(const Charges& charges, Grid v) {
    for (const PointNumber point : charges.positive)
        value_at(v, point) = 1.0;
    for (const PointNumber point : charges.negative)
        value_at(v, point) = -1.0;
}

}  // namespace pinwise::npb::mg
