#include "workloads/npb/mg/multigrid.hpp"

#include <algorithm>
#include <cmath>

#include <omp.h>

#include "workloads/npb/common/stopwatch.hpp"
#include "workloads/npb/common/team_barrier.hpp"

namespace pinwise::npb::mg {

namespace {

constexpr std::size_t coarsest_n = 2;

/// Rows of the largest block of any level that `thread` works on decide its working memory; the finest level's rows are
/// longest and its blocks largest.
std::size_t scratch_of_thread(std::size_t n, std::size_t threads, std::size_t thread) {
    std::size_t most = scratch_elements(coarsest_n, coarsest_n);
    for (std::size_t level_n = n; level_n > coarsest_n; level_n /= 2) {
        const Block block = block_of(thread, block_grid(level_n, threads), level_n);
        if (!block.empty()) most = std::max(most, scratch_elements(level_n, block.y_end - block.y_begin));
    }
    return most;
}

std::size_t coarse_elements(std::size_t n) {
    std::size_t elements = 0;
    for (std::size_t level_n = coarsest_n; level_n < n; level_n *= 2)
        elements += 2 * GridShape::of(level_n).elements();
    return elements;
}

}  // namespace

std::uint64_t Multigrid::bytes_needed(std::size_t n, std::size_t threads) {
    std::size_t elements = 3 * GridShape::of(n).elements() + coarse_elements(n);
    for (std::size_t thread = 0; thread < threads; ++thread)
        elements += scratch_of_thread(n, threads, thread);
    return elements * sizeof(double);
}

workloads::Expected<Multigrid> Multigrid::allocate(std::size_t n, const Weights& smoother, std::size_t threads,
                                                   workloads::ThpAdvice thp) {
    Multigrid grids;
    grids.smoother_ = smoother;
    grids.threads_ = threads;
    const GridShape finest = GridShape::of(n);
    const std::array<std::size_t, 4> sizes{finest.elements(), finest.elements(), finest.elements(), coarse_elements(n)};
    for (const std::size_t elements : sizes) {
        auto mapping = workloads::HugePageMapping::map(elements * sizeof(double), thp);
        if (!mapping) return tl::unexpected(mapping.error());
        grids.mappings_.push_back(std::move(*mapping));
    }
    for (std::size_t thread = 0; thread < threads; ++thread) {
        const std::size_t elements = scratch_of_thread(n, threads, thread);
        auto mapping = workloads::HugePageMapping::map(elements * sizeof(double), thp);
        if (!mapping) return tl::unexpected(mapping.error());
        grids.scratch_.push_back(mapping->as<double>(elements));
        grids.scratch_mappings_.push_back(std::move(*mapping));
    }
    grids.v_ = {grids.mappings_[0].as<double>(finest.elements()), finest};
    for (std::size_t i = 0; i < 2; ++i)
        grids.fine_u_.at(i) = {grids.mappings_[1 + i].as<double>(finest.elements()), finest};
    auto coarse = grids.mappings_[3].as<double>(coarse_elements(n));
    for (std::size_t level_n = coarsest_n; level_n < n; level_n *= 2) {
        const GridShape shape = GridShape::of(level_n);
        const std::size_t elements = shape.elements();
        grids.levels_.push_back({shape,
                                 block_grid(level_n, threads),
                                 {coarse.first(elements), shape},
                                 {coarse.subspan(elements, elements), shape}});
        coarse = coarse.subspan(2 * elements);
    }
    grids.levels_.push_back({finest, block_grid(n, threads), {}, {}});
    return grids;
}

void Multigrid::zero_block(Grid grid, const Block& block) const {
    for (std::size_t z = block.z_begin; z < block.z_end; ++z) {
        double* first = grid.row(static_cast<std::ptrdiff_t>(block.y_begin), static_cast<std::ptrdiff_t>(z));
        std::fill_n(first, (block.y_end - block.y_begin) * grid.shape.n, 0.0);
    }
}

void Multigrid::first_touch_by(std::size_t thread) {
    std::fill(scratch_[thread].begin(), scratch_[thread].end(), 0.0);
    const std::size_t finest = levels_.size() - 1;
    for (const Grid& grid : {v_, fine_u_[0], fine_u_[1]})
        zero_block(grid, block(finest, thread));
    for (std::size_t level = 0; level < finest; ++level) {
        zero_block(levels_[level].u, block(level, thread));
        zero_block(levels_[level].r, block(level, thread));
    }
}

void Multigrid::first_touch(workloads::Touch touch) {
    workloads::first_touch(touch, static_cast<int>(threads_),
                           [this](int thread) { first_touch_by(static_cast<std::size_t>(thread)); });
}

void Multigrid::set_up(const Charges& charges) {
    const std::size_t finest = levels_.size() - 1;
    const int threads = static_cast<int>(threads_);
#pragma omp parallel num_threads(threads)
    {
        const Block own = block(finest, static_cast<std::size_t>(omp_get_thread_num()));
        zero_block(v_, own);
        zero_block(fine_u_[0], own);
    }
    current_ = 0;
    place_charges(charges, v_);
}

/// What one thread does in a cycle. A barrier ends every sweep that others read.
class Multigrid::Cycle {
public:
    Cycle(Multigrid& grids, std::size_t thread, TeamBarrier& barrier, TeamSum& sum)
        : grids_(grids),
          thread_(thread),
          scratch_(grids.scratch_[thread]),
          barrier_(barrier),
          sum_(sum),
          finest_(grids.levels_.size() - 1) {
        while (alone_ + 1 < finest_ && grids.levels_[alone_ + 1].blocks.count() == 1)
            ++alone_;
    }

    /// r = v − A u of the finest level, restricted to the next; returns the norm of r, the same to all threads.
    double residual(std::size_t current, bool restricted) {
        const Level& next = grids_.levels_[finest_ - 1];
        const double squares = residual_restrict(grids_.fine_u_.at(current), grids_.v_, restricted ? next.r : Grid{},
                                                 grids_.block(finest_, thread_), scratch_);
        const auto n = static_cast<double>(grids_.v_.shape.n);
        return std::sqrt(sum_(static_cast<int>(thread_), squares) / (n * n * n));
    }

    /// From the restricted residual to the smoothed u, which is then in the other of the two.
    void v_cycle(std::size_t current) {
        for (std::size_t level = finest_ - 1; level > alone_; --level) {
            restrict_level(level);
            barrier_.wait();
        }
        if (thread_ == 0) small_levels();
        barrier_.wait();
        for (std::size_t level = alone_ + 1; level < finest_; ++level) {
            smooth_level(level);
            barrier_.wait();
        }
        const SmoothingStep step{grids_.levels_[finest_ - 1].u, grids_.fine_u_.at(current), grids_.v_,
                                 grids_.fine_u_.at(1 - current), grids_.smoother_};
        interpolate_smooth(step, grids_.block(finest_, thread_), scratch_);
        barrier_.wait();
    }

private:
    /// The levels with work for one thread only, without a barrier between them.
    void small_levels() {
        for (std::size_t level = alone_; level > 0; --level)
            restrict_level(level);
        smooth_from_zero(grids_.levels_[0].r, grids_.levels_[0].u, grids_.smoother_, scratch_);
        for (std::size_t level = 1; level <= alone_; ++level)
            smooth_level(level);
    }

    void restrict_level(std::size_t level) {
        restrict_grid(grids_.levels_[level].r, grids_.levels_[level - 1].r, grids_.block(level, thread_), scratch_);
    }

    void smooth_level(std::size_t level) {
        const Level& own = grids_.levels_[level];
        const SmoothingStep step{grids_.levels_[level - 1].u, {}, own.r, own.u, grids_.smoother_};
        interpolate_smooth(step, grids_.block(level, thread_), scratch_);
    }

    Multigrid& grids_;
    std::size_t thread_;
    std::span<double> scratch_;
    TeamBarrier& barrier_;
    TeamSum& sum_;
    std::size_t finest_;
    std::size_t alone_ = 0;  ///< the finest of the levels, below the finest of all, that one thread has to itself
};

Solution Multigrid::solve(const workloads::ThreadTeam& team, int cycles, workloads::PageWatch* pages) {
    Solution solution;
    solution.residual_norms.resize(static_cast<std::size_t>(cycles) + 1);
    solution.cycle_times_s.resize(static_cast<std::size_t>(cycles));
    TeamBarrier barrier(team);
    TeamSum sum(team);
    const int threads = static_cast<int>(threads_);
    const Stopwatch whole;
#pragma omp parallel num_threads(threads)
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        Cycle cycle(*this, thread, barrier, sum);
        std::size_t current = current_;
        double norm = cycle.residual(current, true);
        if (thread == 0) solution.residual_norms[0] = norm;
        Stopwatch laps;
        for (std::size_t i = 0; i < solution.cycle_times_s.size(); ++i) {
            cycle.v_cycle(current);
            current = 1 - current;
            norm = cycle.residual(current, i + 1 < solution.cycle_times_s.size());
            if (thread != 0) continue;
            solution.residual_norms[i + 1] = norm;
            solution.cycle_times_s[i] = laps.lap();
            if (pages != nullptr) pages->look();
        }
    }
    solution.time_s = whole.seconds();
    current_ = (current_ + solution.cycle_times_s.size()) % 2;
    return solution;
}

std::vector<workloads::MemoryRange> Multigrid::ranges_of_thread(std::size_t thread) const {
    const Block own = block(levels_.size() - 1, thread);
    std::vector<workloads::MemoryRange> ranges;
    const std::size_t n = v_.shape.n;
    for (const Grid& grid : {v_, fine_u_[0], fine_u_[1]})
        for (std::size_t z = own.z_begin; z < own.z_end; ++z)
            ranges.push_back(std::as_bytes(
                std::span(grid.row(static_cast<std::ptrdiff_t>(own.y_begin), static_cast<std::ptrdiff_t>(z)),
                          (own.y_end - own.y_begin) * n)));
    return ranges;
}

std::vector<workloads::NamedArray> Multigrid::arrays() const {
    return {{"v", mappings_[0].bytes()},
            {"u even", mappings_[1].bytes()},
            {"u odd", mappings_[2].bytes()},
            {"coarse levels", mappings_[3].bytes()}};
}

}  // namespace pinwise::npb::mg
