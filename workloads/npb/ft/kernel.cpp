#include "workloads/npb/ft/kernel.hpp"

#include <fmt/core.h>

#include "workloads/common/page_watch.hpp"
#include "workloads/npb/ft/fft.hpp"
#include "workloads/npb/ft/heat_equation.hpp"
#include "workloads/npb/ft/problem.hpp"

namespace pinwise::npb::ft {

namespace {

std::uint64_t bytes_needed(ProblemClass problem_class, int threads) {
    return HeatEquation::bytes_needed(problem_of(problem_class).extent, static_cast<std::size_t>(threads));
}

/// Modulus of the relative difference, as NPB compares complex numbers; named by its iteration.
Check check_of(int iteration, std::complex<double> computed, std::complex<double> reference) {
    return {fmt::format("checksum {}", iteration), std::abs(computed), std::abs(reference),
            std::abs((computed - reference) / reference), tolerance};
}

std::vector<std::string> notes_of(const HeatEquation& equation, std::size_t threads) {
    std::vector<std::string> notes;
    if (equation.threads_used() < threads)
        notes.push_back(fmt::format("{} of {} threads have no lines to transform: the class is too small for all",
                                    threads - equation.threads_used(), threads));
    if (!equation.advice_refused().empty()) notes.push_back(equation.advice_refused());
    return notes;
}

workloads::Expected<KernelRun> run(const RunParameters& parameters, workloads::ThreadTeam& team) {
    const Problem& problem = problem_of(parameters.problem_class);
    auto equation = HeatEquation::allocate(problem.extent, static_cast<std::size_t>(team.size()), parameters.thp);
    if (!equation) return tl::unexpected(equation.error());
    equation->first_touch(parameters.touch);
    workloads::PageWatch pages(team, equation->arrays(), [&](int thread) {
        return equation->ranges_of_thread(static_cast<std::size_t>(thread));
    });
    pages.start();
    equation->solve(team, 0);  // NPB's untimed setup and forward transform
    const Solution solution = equation->solve(team, problem.iterations(), &pages);
    workloads::record_last_cpus(team);

    KernelRun result;
    const Extent& extent = problem.extent;
    result.size = fmt::format("{}x {}x {}", extent.nx, extent.ny, extent.nz);
    result.iterations = problem.iterations();
    result.time_s = solution.time_s;
    result.operations = operations(problem);
    result.iteration_times = {{"step", solution.step_times_s}, {"setup", {solution.setup_time_s}}};
    for (int i = 0; i < problem.iterations(); ++i) {
        const auto index = static_cast<std::size_t>(i);
        result.checks.push_back(check_of(i + 1, solution.checksums[index], problem.checksums[index]));
        result.findings.push_back(fmt::format("T = {:4}  Checksum = {:22.12e} {:22.12e}", i + 1,
                                              solution.checksums[index].real(), solution.checksums[index].imag()));
    }
    result.pages = pages.finish();
    result.notes = notes_of(*equation, team.threads.size());
    result.parameters = {{"nx", extent.nx},
                         {"ny", extent.ny},
                         {"nz", extent.nz},
                         {"threads_used", equation->threads_used()},
                         {"vector_target", vector_target()}};
    return result;
}

}  // namespace

const Kernel kernel{
    "ft", "the heat equation on a periodic box by three-dimensional FFTs", "floating point", all_classes, bytes_needed,
    run};

}  // namespace pinwise::npb::ft
