#include "workloads/npb/cg/cg_kernel.hpp"

#include <utility>

#include <fmt/format.h>

#include "workloads/common/page_watch.hpp"
#include "workloads/npb/cg/cg_reference.hpp"
#include "workloads/npb/cg/power_iteration.hpp"
#include "workloads/npb/cg/random_vectors.hpp"
#include "workloads/npb/cg/sparse_matrix.hpp"
#include "workloads/npb/common/stopwatch.hpp"

namespace pinwise::npb::cg {

namespace {

/// The peak is at the end of the matrix's making; the random vectors are given back after it.
std::uint64_t bytes_needed(ProblemClass problem_class, int /*threads*/) {
    const Problem problem = problem_of(problem_class);
    return RandomVectors::bytes_needed(problem.rows, problem.nonzeros_per_vector) +
           SparseMatrix::bytes_needed(problem.rows, problem.nonzeros_per_vector) +
           SolverVectors::bytes_needed(problem.rows);
}

workloads::Expected<KernelRun> run(const RunParameters& parameters, workloads::ThreadTeam& team) {
    const Problem problem = problem_of(parameters.problem_class);
    auto matrix = SparseMatrix::make(RandomVectors(problem.rows, problem.nonzeros_per_vector), problem.shift,
                                     team.size(), parameters.touch, parameters.thp);
    if (!matrix) return tl::unexpected(matrix.error());
    const auto vectors = SolverVectors::allocate(*matrix, team.size(), parameters.touch, parameters.thp);
    if (!vectors) return tl::unexpected(vectors.error());
    std::vector<workloads::NamedArray> arrays = matrix->arrays();
    arrays.push_back({"vectors", vectors->memory()});
    workloads::PageWatch pages(team, std::move(arrays),
                               [&](int thread) { return matrix->memory_of(static_cast<std::size_t>(thread)); });
    pages.start();
    iterate(*matrix, *vectors, problem.shift, 1, team);  // untimed, as NPB has it

    const Stopwatch watch;
    const PowerIterationResult found = iterate(*matrix, *vectors, problem.shift, problem.iterations, team, &pages);
    KernelRun result;
    result.time_s = watch.seconds();
    workloads::record_last_cpus(team);
    result.pages = pages.finish();
    result.checks = {check_of(parameters.problem_class, found.zeta)};
    result.findings = {fmt::format("zeta {:.13f}, residual norm {:.3g}", found.zeta, found.residual_norm)};
    result.size = fmt::format("{}", problem.rows);
    result.iterations = problem.iterations;
    result.operations = problem.operations();
    result.iteration_times = {{"power iteration", found.times_s}};
    result.parameters = {
        {"nonzeros", matrix->nonzeros()}, {"inner_steps", inner_steps}, {"shift", problem.shift}, {"zeta", found.zeta}};
    if (!matrix->advice_refused().empty()) result.notes.push_back(matrix->advice_refused());
    return result;
}

}  // namespace

const Kernel& kernel() {
    static constexpr Kernel cg{
        "cg", "an eigenvalue of a sparse matrix by conjugate gradients", "floating point", all_classes, bytes_needed,
        run};
    return cg;
}

}  // namespace pinwise::npb::cg
