#pragma once
/// The timed part of CG: inverse power iteration whose linear systems are solved by 25 steps of the conjugate gradient
/// method.

#include <span>
#include <vector>

#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/page_watch.hpp"
#include "workloads/common/thread_team.hpp"
#include "workloads/npb/cg/sparse_matrix.hpp"

namespace pinwise::npb::cg {

/// The five vectors, in one mapping, each on pages of its own; elements belong to threads as the matrix's rows do.
class SolverVectors {
public:
    static workloads::Expected<SolverVectors> allocate(const SparseMatrix& matrix, int threads, workloads::Touch touch,
                                                       workloads::ThpAdvice thp);
    static std::uint64_t bytes_needed(std::size_t n);

    double* x = nullptr;  ///< the eigenvector's estimate
    double* z = nullptr;  ///< solution of A·z = x
    double* p = nullptr;  ///< search direction
    double* q = nullptr;  ///< A·p
    double* r = nullptr;  ///< residual

    [[nodiscard]] std::span<const std::byte> memory() const { return mapping_.bytes(); }

private:
    explicit SolverVectors(workloads::HugePageMapping mapping) : mapping_(std::move(mapping)) {}

    workloads::HugePageMapping mapping_;
};

struct PowerIterationResult {
    double zeta = 0;              ///< the eigenvalue's estimate after the last iteration
    double residual_norm = 0;     ///< ‖x − A·z‖ of the last iteration
    std::vector<double> times_s;  ///< of every iteration, by the main thread's clock
};

/// Runs `iterations` from x = (1, …, 1), in one parallel region of the team; `pages`, if any, looks between them.
PowerIterationResult iterate(const SparseMatrix& matrix, const SolverVectors& vectors, double shift, int iterations,
                             const workloads::ThreadTeam& team, workloads::PageWatch* pages = nullptr);

}  // namespace pinwise::npb::cg
