#include "workloads/npb/cfd/time_steps.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "workloads/npb/cfd/field_values.hpp"
#include "workloads/npb/cfd/right_hand_side.hpp"
#include "workloads/npb/common/stopwatch.hpp"

namespace pinwise::npb::cfd {

namespace {

/// What the threads of a run leave for the end.
struct Outcome {
    double time_s = 0;
    std::vector<double> step_times_s;
    State residual{};
    State error{};
};

const ProblemRow& row_of(const Code& code, ProblemClass problem_class) {
    return code.rows[static_cast<std::size_t>(problem_class)];
}

/// Decides where every page is; leaves the exact solution in u and zero elsewhere.
void touch_all(Workspace& workspace, TimeStep& time_step, workloads::Touch touch) {
    workspace.residual_memory.resize(workspace.threads);
    first_touch(touch, static_cast<int>(workspace.threads), [&](int thread_number) {
        const auto thread = static_cast<std::size_t>(thread_number);
        const Grid& grid = workspace.grid();
        const Slab planes = with_boundary_planes(grid, workspace.planes_of(thread));
        fill_zero(grid, planes, workspace.fields.rhs());
        fill_zero(grid, planes, workspace.fields.forcing());
        fill_zero(grid, planes, workspace.fields.u());
        fill_exact(grid, planes, workspace.fields.u());
        if (planes.empty()) return;
        workspace.residual_memory[thread].resize(right_hand_side_doubles());
        time_step.touch(thread);
    });
}

/// One run as each thread sees it, all threads together.
class TeamRun {
public:
    TeamRun(Workspace& workspace, TimeStep& time_step, const Code& code, const ProblemRow& row,
            workloads::PageWatch& pages)
        : workspace_(workspace),
          time_step_(time_step),
          code_(code),
          row_(row),
          pages_(pages),
          barrier_(static_cast<int>(workspace.threads), workspace.spin_rounds),
          residual_parts_(workspace.threads),
          error_parts_(workspace.threads) {
        outcome_.step_times_s.reserve(static_cast<std::size_t>(row.iterations));
    }

    void thread_body(std::size_t thread) {
        set_forcing(thread);
        start(thread);
        time_step_.step(thread);
        barrier_.wait();
        start(thread);
        timed_steps(thread);
        if (!code_.norm_is_timed) {
            time_step_.end(thread);
            add_residual(thread);
        }
        add_error(thread);
    }

    Outcome outcome() && {
        outcome_.residual = norm_of(residual_parts_);
        outcome_.error = norm_of(error_parts_);
        return std::move(outcome_);
    }

private:
    /// forcing = R(exact solution); rhs is still zero.
    void set_forcing(std::size_t thread) {
        const Fields& fields = workspace_.fields;
        residual(fields.grid(), workspace_.planes_of(thread), fields.u().data(), fields.rhs().data(), 1.0,
                 fields.forcing().data(), workspace_.residual_memory[thread].data());
        barrier_.wait();
    }

    void start(std::size_t thread) {
        const Grid& grid = workspace_.grid();
        fill_initial(grid, with_boundary_planes(grid, workspace_.planes_of(thread)), workspace_.fields.u());
        barrier_.wait();
        time_step_.begin(thread);
        barrier_.wait();
    }

    void timed_steps(std::size_t thread) {
        Stopwatch watch;
        for (int i = 0; i < row_.iterations; ++i) {
            time_step_.step(thread);
            if (thread != 0) continue;
            outcome_.step_times_s.push_back(watch.lap());
            pages_.look();
        }
        if (code_.norm_is_timed) {
            time_step_.end(thread);
            add_residual(thread);
        }
        barrier_.wait();
        if (thread == 0) outcome_.time_s = watch.seconds();
    }

    void add_residual(std::size_t thread) {
        residual_parts_[thread] =
            sum_of_squares(workspace_.grid(), workspace_.planes_of(thread), workspace_.fields.rhs());
    }

    void add_error(std::size_t thread) {
        error_parts_[thread] =
            sum_of_squared_errors(workspace_.grid(), workspace_.planes_of(thread), workspace_.fields.u());
    }

    [[nodiscard]] State norm_of(const std::vector<State>& parts) const {
        State sum{};
        for (const State& part : parts)
            for (std::size_t m = 0; m < sum.size(); ++m)
                sum[m] += part[m];
        return root_mean_square(workspace_.grid(), sum);
    }

    Workspace& workspace_;
    TimeStep& time_step_;
    const Code& code_;
    const ProblemRow& row_;
    workloads::PageWatch& pages_;
    TeamBarrier barrier_;
    std::vector<State> residual_parts_;
    std::vector<State> error_parts_;
    Outcome outcome_;
};

void add_checks(const std::string& name, const State& computed, const State& reference, KernelRun& run) {
    for (std::size_t m = 0; m < computed.size(); ++m)
        run.checks.push_back(relative_check(fmt::format("the {} norm {}", name, m + 1), computed[m], reference[m],
                                            verification_tolerance));
    run.findings.push_back(fmt::format("{} norms {:.13e}", name, fmt::join(computed, " ")));
}

}  // namespace

std::uint64_t bytes_needed(const Code& code, ProblemClass problem_class, int threads) {
    const Grid grid(row_of(code, problem_class).points);
    const std::size_t active = active_threads(grid, static_cast<std::size_t>(threads));
    const std::uint64_t a_thread = code.thread_bytes(grid, active) + right_hand_side_doubles() * sizeof(double);
    return Fields::bytes(grid) + active * a_thread;
}

workloads::Expected<KernelRun> run_code(const Code& code, const RunParameters& parameters,
                                        workloads::ThreadTeam& team) {
    const ProblemRow& row = row_of(code, parameters.problem_class);
    auto fields = Fields::map(Grid(row.points), parameters.thp);
    if (!fields) return tl::unexpected(fields.error());
    Workspace workspace{std::move(*fields), row.dt, team.threads.size(), spin_rounds_for(team)};
    const auto time_step = code.make_step(workspace);
    touch_all(workspace, *time_step, parameters.touch);
    workloads::PageWatch pages(team, workspace.fields.arrays(), [&](int thread) {
        const Slab planes = workspace.planes_of(static_cast<std::size_t>(thread));
        return workspace.fields.ranges_of(with_boundary_planes(workspace.grid(), planes));
    });
    pages.start();
    TeamRun team_run(workspace, *time_step, code, row, pages);
#pragma omp parallel num_threads(team.size())
    team_run.thread_body(static_cast<std::size_t>(omp_get_thread_num()));
    const Outcome outcome = std::move(team_run).outcome();
    workloads::record_last_cpus(team);

    KernelRun run;
    run.size = fmt::format("{0:4}x{0:4}x{0:4}", row.points);
    run.iterations = row.iterations;
    run.time_s = outcome.time_s;
    run.operations = row.iterations * code.operations_a_step(static_cast<double>(row.points));
    run.iteration_times = {{"time step", outcome.step_times_s}};
    add_checks("residual", outcome.residual, row.residual, run);
    add_checks("error", outcome.error, row.error, run);
    if (code.further_checks != nullptr)
        for (const Check& check : code.further_checks(parameters.problem_class, workspace.fields))
            run.checks.push_back(check);
    run.parameters = {{"dt", row.dt}, {"vector_target", vector_target()}};
    run.pages = pages.finish();
    if (!workspace.fields.mapping().advice_refused().empty())
        run.notes.push_back(workspace.fields.mapping().advice_refused());
    return run;
}

}  // namespace pinwise::npb::cfd
