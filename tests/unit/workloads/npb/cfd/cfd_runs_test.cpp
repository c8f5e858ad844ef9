// Whole runs of BT, SP and LU: the official values, and the states after one step.

#include <gtest/gtest.h>

#include "tests/unit/workloads/npb/cfd/naive_operators.hpp"
#include "workloads/npb/bt/block_lines.hpp"
#include "workloads/npb/bt/bt_kernel.hpp"
#include "workloads/npb/cfd/adi_step.hpp"
#include "workloads/npb/lu/lu_kernel.hpp"
#include "workloads/npb/lu/ssor_step.hpp"
#include "workloads/npb/lu/surface_integral.hpp"
#include "workloads/npb/sp/pentadiagonal_lines.hpp"
#include "workloads/npb/sp/sp_kernel.hpp"

namespace pinwise::npb {
namespace {

struct CodeAndSteps {
    const Kernel& kernel;
    std::size_t steps_s;
    std::size_t checks;
};

std::vector<CodeAndSteps> codes() {
    return {{bt::kernel(), 60, 10}, {sp::kernel(), 100, 10}, {lu::kernel(), 50, 11}};
}

void expect_verified(const CodeAndSteps& code, const RunParameters& parameters, int threads) {
    SCOPED_TRACE(std::string(code.kernel.name) + " " + std::to_string(threads));
    auto team = workloads::start_team(threads).value();
    const auto run = code.kernel.run(parameters, team);
    ASSERT_TRUE(run.has_value()) << run.error().message;
    EXPECT_EQ(run->checks.size(), code.checks);
    const auto verification = verification_of(run->checks);
    EXPECT_TRUE(verification.passed) << verification.message;
    EXPECT_LT(verification.max_error, 1e-9);
    ASSERT_EQ(run->iteration_times.size(), 1U);
    EXPECT_EQ(run->iteration_times[0].times_s.size(), static_cast<std::size_t>(run->iterations));
    EXPECT_GT(run->time_s, 0);
    EXPECT_GT(run->operations, 0);
}

TEST(CfdRuns, of_class_S_verify_at_any_number_of_threads) {
    for (const auto& code : codes())
        for (const int threads : {1, 2, 3, 7, 33})
            expect_verified(code, {ProblemClass::s, workloads::Touch::parallel, workloads::ThpAdvice::off}, threads);
}

void expect_class_w_verified(std::size_t code) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "class W takes minutes under the sanitizers; class S runs";
#endif
    for (const int threads : {1, 2, 3, 7})
        expect_verified(codes().at(code), {ProblemClass::w, workloads::Touch::parallel, workloads::ThpAdvice::on},
                        threads);
}

TEST(CfdRuns, of_BT_class_W_verify_at_1_2_3_and_7_threads) {
    expect_class_w_verified(0);
}

TEST(CfdRuns, of_SP_class_W_verify_at_1_2_3_and_7_threads) {
    expect_class_w_verified(1);
}

TEST(CfdRuns, of_LU_class_W_verify_at_1_2_3_and_7_threads) {
    expect_class_w_verified(2);
}

TEST(CfdRuns, verify_when_the_main_thread_touches_everything_first) {
    for (const auto& code : codes())
        expect_verified(code, {ProblemClass::s, workloads::Touch::master, workloads::ThpAdvice::off}, 3);
}

TEST(CfdRuns, verify_in_the_vectors_of_every_instruction_set) {
    cfd::test::for_each_target([&] {
        for (const auto& code : codes())
            expect_verified(code, {ProblemClass::s, workloads::Touch::parallel, workloads::ThpAdvice::off}, 2);
    });
}

TEST(CfdRuns, count_steps_and_operations_as_NPB_does) {
    auto team = workloads::start_team(1).value();
    const double n = 12;
    const std::array<double, 3> operations{60 * (3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n),
                                           100 * (881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4),
                                           50 * (1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010)};
    for (std::size_t c = 0; c < 3; ++c) {
        const auto code = codes()[c];
        const auto run =
            code.kernel.run({ProblemClass::s, workloads::Touch::parallel, workloads::ThpAdvice::off}, team);
        EXPECT_EQ(static_cast<std::size_t>(run->iterations), code.steps_s);
        EXPECT_DOUBLE_EQ(run->operations, operations.at(c));
    }
}

TEST(CfdRuns, need_memory_for_three_fields_and_less_than_the_usual_arrays) {
    for (const auto& [kernel, usual_bytes] :
         {std::pair{&bt::kernel(), 43e6}, std::pair{&sp::kernel(), 45e6}, std::pair{&lu::kernel(), 35e6}}) {
        const auto bytes = static_cast<double>(kernel->bytes_needed(ProblemClass::a, 1));
        EXPECT_GT(bytes, 3 * 5 * 8 * 64.0 * 64 * 64);
        EXPECT_LT(bytes, 1.1 * usual_bytes * 1.048576);
        EXPECT_LT(static_cast<double>(kernel->bytes_needed(ProblemClass::d, 4096)),
                  408 * 8e6 + 3 * 5 * 8 * 424.0 * 408 * 408);
    }
}

/// Norms after one step of class S.
struct OneStep {
    cfd::State residual;
    cfd::State error;
    double surface_integral;
};

template <class MakeStep>
OneStep one_step(double dt, const MakeStep& make_step) {
    cfd::Workspace workspace{cfd::Fields::map(cfd::Grid(12), workloads::ThpAdvice::off).value(), dt, 1, 0};
    workspace.residual_memory.resize(1);
    workspace.residual_memory[0].resize(cfd::right_hand_side_doubles());
    const cfd::Grid& grid = workspace.grid();
    const cfd::Fields& fields = workspace.fields;
    const cfd::Slab inside = cfd::test::interior(grid);
    cfd::fill_exact(grid, cfd::test::every_plane(grid), fields.u());
    cfd::residual(grid, inside, fields.u().data(), fields.rhs().data(), 1.0, fields.forcing().data(),
                  workspace.residual_memory[0].data());
    cfd::fill_initial(grid, cfd::test::every_plane(grid), fields.u());
    const auto step = make_step(workspace);
    step->touch(0);
    step->begin(0);
    step->step(0);
    step->end(0);
    return {cfd::root_mean_square(grid, cfd::sum_of_squares(grid, inside, fields.rhs())),
            cfd::root_mean_square(grid, cfd::sum_of_squared_errors(grid, inside, fields.u())),
            lu::surface_integral(grid, fields.u())};
}

TEST(CfdSteps, of_BT_lead_to_the_known_norms) {
    const auto step = one_step(0.01, [](cfd::Workspace& workspace) {
        return std::make_unique<cfd::AdiStep>(
            workspace, cfd::AdiMethod{cfd::residual, bt::solve_planes, bt::solve_columns, bt::line_doubles});
    });
    cfd::test::expect_relative(step.residual,
                               {3.353529368840005e+04, 3.356071324660483e+03, 8.437594750474183e+03,
                                7.112740086154354e+03, 4.756320884873264e+04},
                               1e-12);
    cfd::test::expect_relative(step.error,
                               {3.163730045596639e+02, 2.533948074451668e+01, 7.986377034105813e+01,
                                7.015139965424058e+01, 6.186592781817874e+02},
                               1e-12);
}

TEST(CfdSteps, of_SP_lead_to_the_known_norms) {
    const auto step = one_step(0.015, [](cfd::Workspace& workspace) {
        return std::make_unique<cfd::AdiStep>(workspace, cfd::AdiMethod{cfd::characteristic_residual, sp::solve_planes,
                                                                        sp::solve_columns, sp::line_doubles});
    });
    cfd::test::expect_relative(step.residual,
                               {3.110487939539395e+04, 2.746990415522168e+03, 7.571625856291109e+03,
                                6.354327513693655e+03, 4.386574958454543e+04},
                               1e-12);
    cfd::test::expect_relative(step.error,
                               {2.978380786869136e+02, 2.192452094438069e+01, 7.327884736270646e+01,
                                6.337846385174253e+01, 5.714417941287663e+02},
                               1e-12);
}

TEST(CfdSteps, of_LU_lead_to_the_known_norms) {
    const auto step =
        one_step(0.5, [](cfd::Workspace& workspace) { return std::make_unique<lu::SsorStep>(workspace); });
    cfd::test::expect_relative(step.residual,
                               {1.515864469560256e+04, 1.380329462610622e+03, 3.797412823180870e+03,
                                3.243186275442642e+03, 2.454032329965453e+04},
                               1e-12);
    cfd::test::expect_relative(step.error,
                               {2.670533886795988e+02, 2.031682569564004e+01, 6.775786330837899e+01,
                                6.011794848257334e+01, 5.519066456625214e+02},
                               1e-12);
    EXPECT_NEAR(step.surface_integral, 5.562324456219808e+02, 1e-9);
}

}  // namespace
}  // namespace pinwise::npb
