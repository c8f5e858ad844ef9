#pragma once
/// Threads here, arrays there: a comparison whose strategies are every CPU node against every memory node. Pure.

#include <optional>
#include <string>
#include <vector>

#include "runner/compare/cells.hpp"
#include "runner/compare/comparison.hpp"

namespace pinwise {

/// Which strategy is which pair of nodes.
struct NodeMatrix {
    std::vector<int> cpu_nodes;     ///< ascending
    std::vector<int> memory_nodes;  ///< ascending; those not among `cpu_nodes` ran no threads
    /// Row-major, cpu_nodes x memory_nodes: position among Comparison::columns, absent for a pair that did not run.
    std::vector<std::optional<std::size_t>> columns;

    [[nodiscard]] std::optional<std::size_t> column(std::size_t cpu_row, std::size_t memory_column) const {
        return columns[cpu_row * memory_nodes.size() + memory_column];
    }
    /// Strategy of threads on `node` with memory on `node`; absent where the pair did not run.
    [[nodiscard]] std::optional<std::size_t> local_column(int node) const;
};

/// Absent unless every strategy is cpus "node:N" with memory "bind:M", all of one policy and binding, each pair once.
std::optional<NodeMatrix> find_node_matrix(const Comparison& comparison);

/// The metrics that a matrix is made of: the workload's own rates; its other metrics where it has no rate.
std::vector<const MetricRow*> matrix_metrics(const Comparison& comparison);

/// One table a metric: the mean, and in brackets its percentage of the rate of the same threads on their own node's
/// memory. Below them trials, failures and what the kernel did not grant. "" when it is no matrix.
std::string node_matrix_tables(const Comparison& comparison, const TableOptions& options);

}  // namespace pinwise
