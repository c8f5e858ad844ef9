#include "workloads/npb/mg/kernel.hpp"

#include <fmt/core.h>

#include "workloads/common/page_watch.hpp"
#include "workloads/npb/mg/multigrid.hpp"
#include "workloads/npb/mg/problem.hpp"

namespace pinwise::npb::mg {

namespace {

std::uint64_t bytes_needed(ProblemClass problem_class, int threads) {
    return Multigrid::bytes_needed(problem_of(problem_class).n, static_cast<std::size_t>(threads));
}

std::vector<std::string> notes_of(const Multigrid& grids, std::size_t threads) {
    std::vector<std::string> notes;
    if (grids.threads_used() < threads)
        notes.push_back(fmt::format("{} of {} threads have no part of the finest level: the class is too small for all",
                                    threads - grids.threads_used(), threads));
    if (!grids.advice_refused().empty()) notes.push_back(grids.advice_refused());
    return notes;
}

workloads::Expected<KernelRun> run(const RunParameters& parameters, workloads::ThreadTeam& team) {
    const Problem& problem = problem_of(parameters.problem_class);
    auto grids =
        Multigrid::allocate(problem.n, problem.smoother, static_cast<std::size_t>(team.size()), parameters.thp);
    if (!grids) return tl::unexpected(grids.error());
    grids->first_touch(parameters.touch);
    workloads::PageWatch pages(team, grids->arrays(),
                               [&](int thread) { return grids->ranges_of_thread(static_cast<std::size_t>(thread)); });
    pages.start();
    const Charges charges = find_charges(problem.n, team.size());
    grids->set_up(charges);
    grids->solve(team, 1);  // NPB's untimed cycle
    grids->set_up(charges);
    const Solution solution = grids->solve(team, problem.cycles, &pages);
    workloads::record_last_cpus(team);

    KernelRun result;
    result.size = fmt::format("{0}x {0}x {0}", problem.n);
    result.iterations = problem.cycles;
    result.time_s = solution.time_s;
    result.operations = operations(problem);
    result.iteration_times = {{"cycle", solution.cycle_times_s}};
    const double norm = solution.residual_norms.back();
    result.checks = {relative_check("rnm2", norm, problem.residual_norm, tolerance)};
    result.findings = {fmt::format("rnm2 {:.13e}, official {:.13e}", norm, problem.residual_norm)};
    result.pages = pages.finish();
    result.notes = notes_of(*grids, team.threads.size());
    result.parameters = {{"n", problem.n},
                         {"threads_used", grids->threads_used()},
                         {"vector_target", vector_target()},
                         {"residual_norms", solution.residual_norms}};
    return result;
}

}  // namespace

const Kernel kernel{"mg",
                    "V-cycles of multigrid for the Poisson equation on a periodic cube",
                    "floating point",
                    all_classes,
                    bytes_needed,
                    run};

}  // namespace pinwise::npb::mg
