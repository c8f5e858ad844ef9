// The fused sweeps against the operators written as plain loops over all 27 neighbours, on every instruction set this
// CPU has and for several cuts into blocks.

#include "workloads/npb/mg/sweeps.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/workloads/forced_target.hpp"

namespace pinwise::npb::mg {
namespace {

/// A level with values of its own.
class Level {
public:
    explicit Level(std::size_t n) : shape_(GridShape::of(n)), memory_(shape_.elements() + line_doubles, std::nan("")) {}

    /// Numbers of full mantissas without a pattern.
    static Level filled(std::size_t n, double seed) {
        Level level(n);
        for (std::size_t z = 0; z < n; ++z)
            for (std::size_t y = 0; y < n; ++y)
                for (std::size_t x = 0; x < n; ++x)
                    level.at(x, y, z) =
                        std::sin(seed + static_cast<double>(x * x + 31 * y * y + 17 * z * z * z + x * y));
        return level;
    }

    static Level zero(std::size_t n) {
        Level level(n);
        std::fill(level.memory_.begin(), level.memory_.end(), 0.0);
        return level;
    }

    [[nodiscard]] std::size_t n() const { return shape_.n; }
    [[nodiscard]] Grid grid() {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        const std::size_t aligned = (line_doubles - address / sizeof(double) % line_doubles) % line_doubles;
        return {std::span(memory_).subspan(aligned, shape_.elements()), shape_};
    }

    /// Any index, wrapped.
    double& at(std::size_t x, std::size_t y, std::size_t z) {
        return grid().row(static_cast<std::ptrdiff_t>(y), static_cast<std::ptrdiff_t>(z))[x & (shape_.n - 1)];
    }

private:
    static constexpr std::size_t line_doubles = 8;  // large levels begin on a cache line

    GridShape shape_;
    std::vector<double> memory_;
};

double apply(Level& f, const Weights& weights, std::size_t x, std::size_t y, std::size_t z) {
    double sum = 0;
    const std::size_t n = f.n();
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                const int distance = std::abs(dx) + std::abs(dy) + std::abs(dz);
                const double weight = distance == 0   ? weights.centre
                                      : distance == 1 ? weights.face
                                      : distance == 2 ? weights.edge
                                                      : weights.corner;
                sum += weight * f.at(x + n + static_cast<std::size_t>(dx), y + n + static_cast<std::size_t>(dy),
                                     z + n + static_cast<std::size_t>(dz));
            }
    return sum;
}

template <class Value>
Level computed(std::size_t n, const Value& value) {
    Level level(n);
    for (std::size_t z = 0; z < n; ++z)
        for (std::size_t y = 0; y < n; ++y)
            for (std::size_t x = 0; x < n; ++x)
                level.at(x, y, z) = value(x, y, z);
    return level;
}

Level plain_residual(Level& u, Level& v) {
    return computed(u.n(), [&](auto x, auto y, auto z) { return v.at(x, y, z) - apply(u, laplacian, x, y, z); });
}

Level plain_restriction(Level& fine) {
    constexpr Weights restriction{1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16};
    return computed(fine.n() / 2,
                    [&](auto x, auto y, auto z) { return apply(fine, restriction, 2 * x + 1, 2 * y + 1, 2 * z + 1); });
}

/// old + Q coarse, trilinear: fine odd on coarse, fine even between two.
Level plain_interpolation(Level& coarse, Level& old) {
    const std::size_t m = coarse.n();
    return computed(old.n(), [&](auto x, auto y, auto z) {
        double sum = 0;
        for (int corner = 0; corner < 8; ++corner) {
            const auto side = [&](std::size_t fine, int bit) {
                return fine % 2 == 1 || (corner & bit) != 0 ? fine / 2 : fine / 2 + m - 1;
            };
            sum += coarse.at(side(x, 1), side(y, 2), side(z, 4)) / 8;
        }
        return old.at(x, y, z) + sum;
    });
}

Level plain_smoothing(Level& u, Level& r, const Weights& smoother) {
    return computed(u.n(), [&](auto x, auto y, auto z) { return u.at(x, y, z) + apply(r, smoother, x, y, z); });
}

void expect_equal(Level& left, Level& right, const std::string& what) {
    for (std::size_t z = 0; z < left.n(); ++z)
        for (std::size_t y = 0; y < left.n(); ++y)
            for (std::size_t x = 0; x < left.n(); ++x)
                ASSERT_NEAR(left.at(x, y, z), right.at(x, y, z), 1e-13)
                    << what << ' ' << vector_target() << " n " << left.n() << " at " << x << ' ' << y << ' ' << z;
}

const std::vector<BlockGrid> cuts{{1, 1}, {2, 1}, {1, 2}, {3, 2}, {4, 4}};

/// Calls body(block, scratch) for every block of a level of n.
template <class Body>
void for_each_block(std::size_t n, const BlockGrid& cut, const Body& body) {
    for (std::size_t thread = 0; thread < cut.count(); ++thread) {
        const Block block = block_of(thread, cut, n);
        if (block.empty()) continue;
        std::vector<double> scratch(scratch_elements(n, block.y_end - block.y_begin));
        body(block, std::span<double>(scratch));
    }
}

template <class Check>
void on_every_target(const Check& check) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        const test::ForcedTarget forced(target);
        check();
    }
}

TEST(MgSweeps, restrict_the_residual_and_add_up_its_squares) {
    on_every_target([] {
        for (const std::size_t n : {4U, 8U, 16U, 32U})
            for (const BlockGrid& cut : cuts) {
                Level u = Level::filled(n, 0.1);
                Level v = Level::filled(n, 0.7);
                Level expected = plain_residual(u, v);
                Level expected_coarse = plain_restriction(expected);
                Level coarse(n / 2);
                double squares = 0;
                double squares_only = 0;
                for_each_block(n, cut, [&](const Block& block, std::span<double> scratch) {
                    squares += residual_restrict(u.grid(), v.grid(), coarse.grid(), block, scratch);
                    squares_only += residual_restrict(u.grid(), v.grid(), {}, block, scratch);
                });
                expect_equal(coarse, expected_coarse, "restricted residual");
                double expected_squares = 0;
                for (std::size_t i = 0; i < n * n * n; ++i)
                    expected_squares += std::pow(expected.at(i % n, i / n % n, i / n / n), 2);
                EXPECT_NEAR(squares / expected_squares, 1.0, 1e-13);
                EXPECT_NEAR(squares_only / expected_squares, 1.0, 1e-13);
            }
    });
}

TEST(MgSweeps, restrict_a_level) {
    on_every_target([] {
        for (const std::size_t n : {4U, 8U, 16U, 32U})
            for (const BlockGrid& cut : cuts) {
                Level fine = Level::filled(n, 0.3);
                Level coarse(n / 2);
                for_each_block(n, cut, [&](const Block& block, std::span<double> scratch) {
                    restrict_grid(fine.grid(), coarse.grid(), block, scratch);
                });
                Level expected = plain_restriction(fine);
                expect_equal(coarse, expected, "restriction");
            }
    });
}

TEST(MgSweeps, interpolate_and_smooth) {
    on_every_target([] {
        for (const std::size_t n : {4U, 8U, 16U, 32U, 128U})
            for (const BlockGrid& cut : n < 128 ? cuts : std::vector<BlockGrid>{{2, 1}})
                for (const bool from_zero : {true, false}) {
                    Level coarse = Level::filled(n / 2, 0.2);
                    Level old = from_zero ? Level::zero(n) : Level::filled(n, 0.4);
                    Level right_side = Level::filled(n, 0.6);
                    Level new_u(n);
                    const SmoothingStep step{coarse.grid(), from_zero ? ConstGrid{} : ConstGrid(old.grid()),
                                             right_side.grid(), new_u.grid(), smoother_b};
                    for_each_block(n, cut, [&](const Block& block, std::span<double> scratch) {
                        interpolate_smooth(step, block, scratch);
                    });
                    Level u = plain_interpolation(coarse, old);
                    Level r = plain_residual(u, right_side);
                    Level expected = plain_smoothing(u, r, smoother_b);
                    expect_equal(new_u, expected, from_zero ? "smoothing from zero" : "smoothing");
                }
    });
}

TEST(MgSweeps, smooth_the_coarsest_level) {
    on_every_target([] {
        Level r = Level::filled(2, 0.5);
        Level u(2);
        std::vector<double> scratch(scratch_elements(2, 2));
        smooth_from_zero(r.grid(), u.grid(), smoother_a, scratch);
        Level zero = Level::zero(2);
        Level expected = plain_smoothing(zero, r, smoother_a);
        expect_equal(u, expected, "coarsest level");
    });
}

TEST(MgSweeps, have_a_laplacian_that_a_constant_solves) {
    Level constant = computed(16, [](auto, auto, auto) { return 3.0; });
    Level zero = Level::zero(16);
    std::vector<double> scratch(scratch_elements(16, 16));
    EXPECT_LT(residual_restrict(constant.grid(), zero.grid(), {}, {0, 16, 0, 16}, scratch), 1e-25);
}

}  // namespace
}  // namespace pinwise::npb::mg
