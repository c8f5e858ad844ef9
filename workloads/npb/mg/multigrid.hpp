#pragma once
/// The V-cycle of MG on a team of threads.

#include <cstdint>
#include <vector>

#include "workloads/common/expected.hpp"
#include "workloads/common/first_touch.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/page_watch.hpp"
#include "workloads/common/thread_team.hpp"
#include "workloads/npb/mg/blocks.hpp"
#include "workloads/npb/mg/charges.hpp"
#include "workloads/npb/mg/grid.hpp"
#include "workloads/npb/mg/sweeps.hpp"

namespace pinwise::npb::mg {

/// What solving gave.
struct Solution {
    std::vector<double> residual_norms;  ///< sqrt(Σ r² / n³) before the first cycle and after each
    std::vector<double> cycle_times_s;   ///< of each V-cycle with the residual after it
    double time_s = 0;                   ///< all of it, the first residual included
};

/// All levels of ∇²u = v on a periodic cube of n³ points, and the cycles over them.
///
/// The finest level is v and two u, the one before a cycle and the one after; its residual exists only a few planes at
/// a time. A coarser level k is u_k and r_k.
class Multigrid {
public:
    /// Maps everything and touches nothing. n is a power of two ≥ 4.
    static workloads::Expected<Multigrid> allocate(std::size_t n, const Weights& smoother, std::size_t threads,
                                                   workloads::ThpAdvice thp);

    /// Bytes that allocate() maps.
    static std::uint64_t bytes_needed(std::size_t n, std::size_t threads);

    /// Zeroes every level and the working memory, each thread what it will use, or the main thread all.
    void first_touch(workloads::Touch touch);

    /// Sets u to zero and v to the charges, each thread its block.
    void set_up(const Charges& charges);

    /// The residual, then `cycles` times a V-cycle and the residual; `pages`, if any, looks after each.
    Solution solve(const workloads::ThreadTeam& team, int cycles, workloads::PageWatch* pages = nullptr);

    /// The finest u after solve().
    [[nodiscard]] ConstGrid solution() const { return fine_u_[current_]; }

    /// The finest level's arrays as far as they belong to a thread.
    [[nodiscard]] std::vector<workloads::MemoryRange> ranges_of_thread(std::size_t thread) const;

    /// Every mapping but the threads' working memory.
    [[nodiscard]] std::vector<workloads::NamedArray> arrays() const;

    /// Why the kernel did not take the THP advice; empty where it did.
    [[nodiscard]] const std::string& advice_refused() const { return mappings_.front().advice_refused(); }

    /// Threads that have a block of the finest level.
    [[nodiscard]] std::size_t threads_used() const { return levels_.back().blocks.count(); }

private:
    /// Level k of n_k = 2^(k+1) points per dimension; the finest is the last, and has no u and r here.
    struct Level {
        GridShape shape;
        BlockGrid blocks;
        Grid u;
        Grid r;
    };

    class Cycle;

    Multigrid() = default;
    [[nodiscard]] Block block(std::size_t level, std::size_t thread) const {
        return block_of(thread, levels_[level].blocks, levels_[level].shape.n);
    }
    void zero_block(Grid grid, const Block& block) const;
    void first_touch_by(std::size_t thread);

    Weights smoother_;
    std::size_t threads_ = 1;
    std::vector<workloads::HugePageMapping> mappings_;  ///< v, u, u, coarser levels
    std::vector<workloads::HugePageMapping> scratch_mappings_;
    std::vector<std::span<double>> scratch_;  ///< by thread
    std::vector<Level> levels_;
    Grid v_;
    std::array<Grid, 2> fine_u_;
    std::size_t current_ = 0;  ///< which of fine_u_ is valid
};

}  // namespace pinwise::npb::mg
