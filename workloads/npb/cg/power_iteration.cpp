#include "workloads/npb/cg/power_iteration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <omp.h>

#include "workloads/npb/cg/cg_reference.hpp"
#include "workloads/npb/common/stopwatch.hpp"
#include "workloads/npb/common/team_barrier.hpp"

namespace pinwise::npb::cg {

namespace {

constexpr std::size_t page_doubles = 4096 / sizeof(double);
constexpr std::size_t vectors_in_all = 5;

std::size_t padded(std::size_t n) {
    return (n + page_doubles - 1) / page_doubles * page_doubles;
}

/// One thread's part of the method. All threads of the team call the same members in the same order.
class Solver {
public:
    Solver(const SparseMatrix& matrix, const SolverVectors& vectors, std::size_t thread, TeamSum& sum,
           TeamBarrier& barrier)
        : matrix_(matrix), v_(vectors), own_(matrix.rows_of(thread)), thread_(thread), sum_(sum), barrier_(barrier) {}

    void start() { std::fill(v_.x + own_.begin, v_.x + own_.end, 1.0); }

    /// 25 steps for A·z = x; returns ‖x − A·z‖.
    double solve() {
        double rho = begin_solve();
        for (int step = 0; step < inner_steps; ++step)
            rho = advance(rho);
        matrix_.multiply_own(thread_, v_.z, v_.r);
        return std::sqrt(total([this](std::size_t i) {
            const double difference = v_.x[i] - v_.r[i];
            return difference * difference;
        }));
    }

    /// The estimate from x and z, after which x is z made a unit vector.
    double finish(double shift) {
        const double x_z = total([this](std::size_t i) { return v_.x[i] * v_.z[i]; });
        const double scale = 1.0 / std::sqrt(total([this](std::size_t i) { return v_.z[i] * v_.z[i]; }));
        for (std::size_t i = own_.begin; i < own_.end; ++i)
            v_.x[i] = scale * v_.z[i];
        return shift + 1.0 / x_z;
    }

private:
    double begin_solve() {
        const double rho = total([this](std::size_t i) {
            const double x = v_.x[i];
            v_.z[i] = 0;
            v_.r[i] = x;
            v_.p[i] = x;
            return x * x;
        });
        return rho;
    }

    double advance(double rho) {
        matrix_.multiply_own(thread_, v_.p, v_.q);
        const double alpha = rho / total([this](std::size_t i) { return v_.p[i] * v_.q[i]; });
        const double next_rho = total([this, alpha](std::size_t i) {
            v_.z[i] += alpha * v_.p[i];
            const double r = v_.r[i] - alpha * v_.q[i];
            v_.r[i] = r;
            return r * r;
        });
        const double beta = next_rho / rho;
        for (std::size_t i = own_.begin; i < own_.end; ++i)
            v_.p[i] = v_.r[i] + beta * v_.p[i];
        barrier_.wait();
        return next_rho;
    }

    /// Adds up term(i) over all elements of all threads. Also a barrier.
    template <class Term>
    double total(const Term& term) {
        constexpr std::size_t chains = 4;
        std::array<double, chains> sums{};
        std::size_t i = own_.begin;
        for (; i + chains <= own_.end; i += chains)
            for (std::size_t chain = 0; chain < chains; ++chain)
                sums[chain] += term(i + chain);
        for (; i < own_.end; ++i)
            sums[0] += term(i);
        return sum_(static_cast<int>(thread_), (sums[0] + sums[1]) + (sums[2] + sums[3]));
    }

    const SparseMatrix& matrix_;
    const SolverVectors& v_;
    workloads::Slice own_;
    std::size_t thread_;
    TeamSum& sum_;
    TeamBarrier& barrier_;
};

}  // namespace

workloads::Expected<SolverVectors> SolverVectors::allocate(const SparseMatrix& matrix, int threads,
                                                           workloads::Touch touch, workloads::ThpAdvice thp) {
    const std::size_t stride = padded(matrix.rows());
    auto mapping = workloads::HugePageMapping::map(bytes_needed(matrix.rows()), thp);
    if (!mapping) return tl::unexpected(mapping.error());
    SolverVectors vectors(std::move(*mapping));
    double* const all = vectors.mapping_.as<double>(vectors_in_all * stride).data();
    vectors.x = all;
    vectors.z = all + stride;
    vectors.p = all + 2 * stride;
    vectors.q = all + 3 * stride;
    vectors.r = all + 4 * stride;
    first_touch(touch, threads, [&](int thread) {
        const auto own = matrix.rows_of(static_cast<std::size_t>(thread));
        for (double* const vector : {vectors.x, vectors.z, vectors.p, vectors.q, vectors.r})
            std::fill(vector + own.begin, vector + own.end, 0.0);
    });
    return vectors;
}

std::uint64_t SolverVectors::bytes_needed(std::size_t n) {
    return vectors_in_all * padded(n) * sizeof(double);
}

PowerIterationResult iterate(const SparseMatrix& matrix, const SolverVectors& vectors, double shift, int iterations,
                             const workloads::ThreadTeam& team, workloads::PageWatch* pages) {
    TeamSum sum(team);
    TeamBarrier barrier(team);
    PowerIterationResult result;
    result.times_s.reserve(static_cast<std::size_t>(iterations));
#pragma omp parallel num_threads(team.size())
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        Solver solver(matrix, vectors, thread, sum, barrier);
        solver.start();
        Stopwatch watch;
        for (int iteration = 0; iteration < iterations; ++iteration) {
            const double norm = solver.solve();
            const double zeta = solver.finish(shift);
            if (thread == 0) {
                result.residual_norm = norm;
                result.zeta = zeta;
                result.times_s.push_back(watch.lap());
                if (pages != nullptr) pages->look();
            }
        }
    }
    return result;
}

}  // namespace pinwise::npb::cg
