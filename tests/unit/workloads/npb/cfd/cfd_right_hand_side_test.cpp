// R(U) in vectors against R(U) point by point.

#include <gtest/gtest.h>

#include "tests/unit/workloads/npb/cfd/naive_operators.hpp"

namespace pinwise::npb::cfd {
namespace {

using test::Point;

class ResidualMemory {
public:
    ResidualMemory() { memory_.resize(right_hand_side_doubles()); }
    double* data() { return memory_.data(); }

private:
    ThreadMemory memory_;
};

template <class Check>
void for_interior(const Grid& grid, const Check& check) {
    for (std::size_t k = 1; k + 1 < grid.points(); ++k)
        for (std::size_t j = 1; j + 1 < grid.points(); ++j)
            for (std::size_t i = 1; i + 1 < grid.points(); ++i)
                check(Point{i, j, k});
}

TEST(CfdRightHandSide, is_the_operator_of_the_definition_on_grids_of_one_and_of_several_tiles) {
    for (const std::size_t points : {9U, 12U, 70U}) {
        const Fields fields = test::wavy_fields(points);
        const Grid& grid = fields.grid();
        test::for_each_target([&] {
            ResidualMemory memory;
            residual(grid, test::interior(grid), fields.u().data(), fields.forcing().data(), 0.25, fields.rhs().data(),
                     memory.data());
            for_interior(grid, [&](Point p) {
                if (points > 20 && (p.i + p.j + p.k) % 5 != 0) return;
                State expected = test::naive_residual(grid, fields.u(), p);
                const State forcing = test::at(grid, fields.forcing(), p);
                for (std::size_t m = 0; m < components; ++m)
                    expected[m] = 0.25 * (expected[m] - forcing[m]);
                const double t1 = Spacing(points).t1;  // rounding of second differences
                test::expect_near(test::at(grid, fields.rhs(), p), expected, 1e-13 * t1, "residual", p);
            });
        });
    }
}

TEST(CfdRightHandSide, is_the_same_bit_for_bit_however_the_planes_are_shared_out) {
    const Fields fields = test::wavy_fields(21);
    const Grid& grid = fields.grid();
    ResidualMemory memory;
    residual(grid, test::interior(grid), fields.u().data(), fields.forcing().data(), 1.0, fields.rhs().data(),
             memory.data());
    const std::vector<double> whole(fields.rhs().begin(), fields.rhs().end());
    for (const std::size_t threads : {2U, 5U, 19U}) {
        fill_zero(grid, test::every_plane(grid), fields.rhs());
        for (std::size_t thread = 0; thread < threads; ++thread)
            residual(grid, slab_of(grid, thread, threads), fields.u().data(), fields.forcing().data(), 1.0,
                     fields.rhs().data(), memory.data());
        EXPECT_TRUE(std::equal(whole.begin(), whole.end(), fields.rhs().begin())) << threads;
    }
}

TEST(CfdRightHandSide, leaves_zero_outside_the_interior) {
    const Fields fields = test::wavy_fields(12);
    const Grid& grid = fields.grid();
    ResidualMemory memory;
    std::vector<bool> is_interior(grid.doubles());
    for_interior(grid, [&](Point p) {
        for (std::size_t m = 0; m < components; ++m)
            is_interior[grid.offset(p.k, p.j, m, p.i)] = true;
    });
    test::for_each_target([&] {
        residual(grid, test::interior(grid), fields.u().data(), fields.forcing().data(), 1.0, fields.rhs().data(),
                 memory.data());
        for (std::size_t place = 0; place < grid.doubles(); ++place) {
            if (is_interior[place]) continue;
            ASSERT_EQ(fields.rhs()[place], 0.0) << place;
        }
    });
}

TEST(CfdRightHandSide, of_the_initial_state_has_the_known_norms) {
    auto fields = Fields::map(Grid(12), workloads::ThpAdvice::off).value();
    const Grid& grid = fields.grid();
    ResidualMemory memory;
    const Slab inside = test::interior(grid);
    fill_exact(grid, test::every_plane(grid), fields.u());
    residual(grid, inside, fields.u().data(), fields.rhs().data(), 1.0, fields.forcing().data(), memory.data());
    fill_initial(grid, test::every_plane(grid), fields.u());
    residual(grid, inside, fields.u().data(), fields.forcing().data(), 1.0, fields.rhs().data(), memory.data());
    test::expect_relative(root_mean_square(grid, sum_of_squares(grid, inside, fields.rhs())),
                          {6.787744084932382e+04, 6.865667146644460e+03, 1.737391645058109e+04, 1.465321646027391e+04,
                           9.768241599163863e+04},
                          1e-12);
}

/// r ← T⁻¹·r of SP's first transformation.
State characteristic(const State& u, const State& r) {
    const test::Primitive p(u);
    const double bt = std::sqrt(0.5);
    const double t1 = c2 / (p.sound * p.sound) * (p.q * r[0] - p.v[0] * r[1] - p.v[1] * r[2] - p.v[2] * r[3] + r[4]);
    const double t2 = bt / p.rho * (p.v[0] * r[0] - r[1]);
    const double t3 = bt * p.sound / p.rho * t1;
    return {r[0] - t1, -(p.v[2] * r[0] - r[3]) / p.rho, (p.v[1] * r[0] - r[2]) / p.rho, t3 - t2, t3 + t2};
}

TEST(CfdRightHandSide, in_characteristic_variables_is_the_residual_transformed) {
    const Fields fields = test::wavy_fields(12);
    const Grid& grid = fields.grid();
    ResidualMemory memory;
    test::for_each_target([&] {
        characteristic_residual(grid, test::interior(grid), fields.u().data(), fields.forcing().data(), 0.01,
                                fields.rhs().data(), memory.data());
        for_interior(grid, [&](Point p) {
            State r = test::naive_residual(grid, fields.u(), p);
            const State forcing = test::at(grid, fields.forcing(), p);
            for (std::size_t m = 0; m < components; ++m)
                r[m] = 0.01 * (r[m] - forcing[m]);
            const State expected = characteristic(test::at(grid, fields.u(), p), r);
            test::expect_near(test::at(grid, fields.rhs(), p), expected, 1e-11, "characteristic residual", p);
        });
    });
}

}  // namespace
}  // namespace pinwise::npb::cfd
