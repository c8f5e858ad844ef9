#pragma once
/// CG's matrix in compressed sparse rows, each thread's rows in a block of its own.

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/common/first_touch.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/page_residence.hpp"
#include "workloads/common/page_watch.hpp"
#include "workloads/common/partition.hpp"
#include "workloads/npb/cg/random_vectors.hpp"

namespace pinwise::npb::cg {

/// The condition number's inverse of the matrix without its shift.
inline constexpr double rcond = 0.1;

class SparseMatrix {
public:
    /// A = Σ s_i · w_i w_iᵀ + (rcond − shift)·I of the n vectors w_i, with s_1 = 1 and s_{i+1} = s_i · rcond^(1/n).
    /// Every element is summed in the order of i. Rows are made and first touched as `touch` says.
    static workloads::Expected<SparseMatrix> make(const RandomVectors& vectors, double shift, int threads,
                                                  workloads::Touch touch, workloads::ThpAdvice thp);

    /// Bytes of a matrix from n vectors of `nonzeros` + 1 elements, at most.
    static std::uint64_t bytes_needed(std::size_t n, std::size_t nonzeros);

    [[nodiscard]] std::size_t rows() const { return row_ends_.size(); }
    [[nodiscard]] std::size_t nonzeros() const;

    /// Rows of a thread.
    [[nodiscard]] workloads::Slice rows_of(std::size_t thread) const {
        return workloads::slice_of(thread, block_begins_.size(), rows());
    }

    /// Columns, ascending, and values of a row.
    [[nodiscard]] std::span<const Index> columns_of(std::size_t row) const;
    [[nodiscard]] std::span<const double> values_of(std::size_t row) const;

    /// result[j] = Σ_k A_jk x[k] for the rows j of a thread.
    void multiply_own(std::size_t thread, const double* x, double* result) const;

    /// Memory of a thread's own rows, and all there is.
    [[nodiscard]] std::vector<workloads::MemoryRange> memory_of(std::size_t thread) const;
    [[nodiscard]] std::vector<workloads::NamedArray> arrays() const;
    [[nodiscard]] const std::string& advice_refused() const { return values_mapping_.advice_refused(); }

private:
    SparseMatrix(workloads::HugePageMapping values, workloads::HugePageMapping columns,
                 workloads::HugePageMapping row_ends, std::size_t rows, std::vector<std::size_t> block_begins);

    void make_block(const RandomVectors& vectors, std::span<const double> weights, double shift, std::size_t thread);
    [[nodiscard]] std::size_t begin_of(std::size_t row) const;

    workloads::HugePageMapping values_mapping_;
    workloads::HugePageMapping columns_mapping_;
    workloads::HugePageMapping row_ends_mapping_;
    double* values_;
    Index* columns_;
    std::span<std::size_t> row_ends_;  ///< a row begins where the one before it ends, a block's first at its begin
    std::vector<std::size_t> block_begins_;  ///< by thread; between blocks is room that duplicates left
};

}  // namespace pinwise::npb::cg
