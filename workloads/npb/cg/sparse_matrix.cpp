#include "workloads/npb/cg/sparse_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "workloads/npb/cg/row_products.hpp"

namespace pinwise::npb::cg {

namespace {

/// Blocks of different threads begin on pages of their own, as far as 4 KiB goes.
constexpr std::size_t block_granule = 1024;

std::vector<double> make_weights(std::size_t n) {
    const double ratio = std::pow(rcond, 1.0 / static_cast<double>(n));
    std::vector<double> weights(n);
    double weight = 1;
    for (double& each : weights) {
        each = weight;
        weight *= ratio;
    }
    return weights;
}

/// The products that make one row, in the order in which they are added up. Reused from row to row.
struct RowProducts {
    std::vector<std::uint64_t> column_and_place;  ///< column in the upper half, index of the value in the lower
    std::vector<double> values;

    void collect(const RandomVectors& vectors, std::span<const double> weights, double shift, std::size_t row) {
        column_and_place.clear();
        values.clear();
        for (const Index i : vectors.vectors_with(row)) {
            const auto entries = vectors.vector(i);
            const auto own = std::ranges::find(entries, row, &Entry::position);
            const double scaled = weights[i] * own->value;
            for (const Entry& entry : entries) {
                double value = entry.value * scaled;
                if (entry.position == row && i == row) value = (value + rcond) - shift;
                column_and_place.push_back(std::uint64_t{entry.position} << 32U | values.size());
                values.push_back(value);
            }
        }
        std::sort(column_and_place.begin(), column_and_place.end());
    }
};

/// Where each thread's block begins if every row had as many elements as it has products; the last is the end of all.
std::vector<std::size_t> find_block_begins(const RandomVectors& vectors, std::size_t threads) {
    std::vector<std::size_t> begins{0};
    for (std::size_t thread = 0; thread < threads; ++thread) {
        const auto rows = workloads::slice_of(thread, threads, vectors.size());
        std::size_t products = 0;
        for (std::size_t row = rows.begin; row < rows.end; ++row)
            products += vectors.products_in_row(row);
        begins.push_back(begins.back() + (products + block_granule - 1) / block_granule * block_granule);
    }
    return begins;
}

}  // namespace

workloads::Expected<SparseMatrix> SparseMatrix::make(const RandomVectors& vectors, double shift, int threads,
                                                     workloads::Touch touch, workloads::ThpAdvice thp) {
    std::vector<std::size_t> block_begins = find_block_begins(vectors, static_cast<std::size_t>(threads));
    const std::size_t room = block_begins.back();
    block_begins.pop_back();
    auto values = workloads::HugePageMapping::map(room * sizeof(double), thp);
    if (!values) return tl::unexpected(values.error());
    auto columns = workloads::HugePageMapping::map(room * sizeof(Index), thp);
    if (!columns) return tl::unexpected(columns.error());
    auto row_ends = workloads::HugePageMapping::map(vectors.size() * sizeof(std::size_t), thp);
    if (!row_ends) return tl::unexpected(row_ends.error());
    SparseMatrix matrix(std::move(*values), std::move(*columns), std::move(*row_ends), vectors.size(),
                        std::move(block_begins));
    const std::vector<double> weights = make_weights(vectors.size());
    first_touch(touch, threads,
                [&](int thread) { matrix.make_block(vectors, weights, shift, static_cast<std::size_t>(thread)); });
    return matrix;
}

std::uint64_t SparseMatrix::bytes_needed(std::size_t n, std::size_t nonzeros) {
    const std::uint64_t per_row = (nonzeros + 1) * (nonzeros + 1) * (sizeof(double) + sizeof(Index));
    return std::uint64_t{n} * (per_row + sizeof(std::size_t) + sizeof(double));
}

SparseMatrix::SparseMatrix(workloads::HugePageMapping values, workloads::HugePageMapping columns,
                           workloads::HugePageMapping row_ends, std::size_t rows, std::vector<std::size_t> block_begins)
    : values_mapping_(std::move(values)),
      columns_mapping_(std::move(columns)),
      row_ends_mapping_(std::move(row_ends)),
      values_(values_mapping_.as<double>(0).data()),
      columns_(columns_mapping_.as<Index>(0).data()),
      row_ends_(row_ends_mapping_.as<std::size_t>(rows)),
      block_begins_(std::move(block_begins)) {}

void SparseMatrix::make_block(const RandomVectors& vectors, std::span<const double> weights, double shift,
                              std::size_t thread) {
    RowProducts products;
    std::size_t end = block_begins_[thread];
    const auto rows = rows_of(thread);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        products.collect(vectors, weights, shift, row);
        const std::size_t begin = end;
        for (const std::uint64_t product : products.column_and_place) {
            const auto column = static_cast<Index>(product >> 32U);
            const double value = products.values[static_cast<Index>(product)];
            if (end != begin && columns_[end - 1] == column) {
                values_[end - 1] += value;
            } else {
                columns_[end] = column;
                values_[end] = value;
                ++end;
            }
        }
        row_ends_[row] = end;
    }
}

std::size_t SparseMatrix::begin_of(std::size_t row) const {
    for (std::size_t thread = 0; thread < block_begins_.size(); ++thread)
        if (rows_of(thread).begin == row && rows_of(thread).size() != 0) return block_begins_[thread];
    return row_ends_[row - 1];
}

std::size_t SparseMatrix::nonzeros() const {
    std::size_t sum = 0;
    for (std::size_t thread = 0; thread < block_begins_.size(); ++thread)
        if (const auto own = rows_of(thread); own.size() != 0) sum += row_ends_[own.end - 1] - block_begins_[thread];
    return sum;
}

std::span<const Index> SparseMatrix::columns_of(std::size_t row) const {
    const std::size_t begin = begin_of(row);
    return {columns_ + begin, row_ends_[row] - begin};
}

std::span<const double> SparseMatrix::values_of(std::size_t row) const {
    const std::size_t begin = begin_of(row);
    return {values_ + begin, row_ends_[row] - begin};
}

void SparseMatrix::multiply_own(std::size_t thread, const double* x, double* result) const {
    const auto own = rows_of(thread);
    multiply_rows(values_, columns_, row_ends_.data() + own.begin, block_begins_[thread], own.size(), x,
                  result + own.begin);
}

std::vector<workloads::MemoryRange> SparseMatrix::memory_of(std::size_t thread) const {
    const auto own = rows_of(thread);
    if (own.size() == 0) return {};
    const std::size_t begin = block_begins_[thread];
    const std::size_t count = row_ends_[own.end - 1] - begin;
    return {std::as_bytes(std::span(values_ + begin, count)), std::as_bytes(std::span(columns_ + begin, count))};
}

std::vector<workloads::NamedArray> SparseMatrix::arrays() const {
    return {{"values", values_mapping_.bytes()},
            {"columns", columns_mapping_.bytes()},
            {"row_ends", row_ends_mapping_.bytes()}};
}

}  // namespace pinwise::npb::cg
