// The cut of a level: every point in exactly one block, whatever the number of threads.

#include "workloads/npb/mg/blocks.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace pinwise::npb::mg {
namespace {

TEST(MgBlocks, give_every_row_to_exactly_one_thread) {
    for (const std::size_t n : {2U, 4U, 8U, 32U, 64U, 256U})
        for (const std::size_t threads : {1U, 2U, 3U, 7U, 16U, 40U, 257U, 4096U}) {
            const BlockGrid grid = block_grid(n, threads);
            ASSERT_LE(grid.count(), threads);
            std::vector<int> owners(n * n, 0);
            for (std::size_t thread = 0; thread < threads; ++thread) {
                const Block block = block_of(thread, grid, n);
                for (std::size_t z = block.z_begin; z < block.z_end; ++z)
                    for (std::size_t y = block.y_begin; y < block.y_end; ++y)
                        ++owners[z * n + y];
            }
            ASSERT_EQ(owners, std::vector<int>(n * n, 1)) << n << " points, " << threads << " threads";
        }
}

TEST(MgBlocks, begin_and_end_on_even_planes_and_rows) {
    for (const std::size_t threads : {2U, 3U, 7U, 100U, 4096U}) {
        const BlockGrid grid = block_grid(128, threads);
        for (std::size_t thread = 0; thread < threads; ++thread) {
            const Block block = block_of(thread, grid, 128);
            EXPECT_EQ((block.z_begin | block.z_end | block.y_begin | block.y_end) % 2, 0U);
        }
    }
}

TEST(MgBlocks, are_whole_planes_while_slabs_are_thick_enough) {
    EXPECT_EQ(block_grid(256, 32).parts, 1U);
    EXPECT_EQ(block_grid(256, 32).slabs, 32U);
    EXPECT_EQ(block_grid(256, 40).parts, 2U);
    EXPECT_EQ(block_grid(256, 40).slabs, 20U);
}

TEST(MgBlocks, leave_small_levels_to_one_thread) {
    EXPECT_EQ(block_grid(16, 64).count(), 1U);
    EXPECT_EQ(block_grid(2, 4096).count(), 1U);
    EXPECT_EQ(block_grid(32, 64).count(), 8U);
}

}  // namespace
}  // namespace pinwise::npb::mg
