#include "runner/compare/node_matrix.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "runner/trial/runner_metrics.hpp"
namespace pinwise {
namespace {

/// 3 of "node:3" with prefix "node:"; absent for anything else.
std::optional<int> single_node(std::string_view text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return std::nullopt;
    const std::string_view digits = text.substr(prefix.size());
    int node = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), node);
    if (status != std::errc{} || end != digits.data() + digits.size() || node < 0) return std::nullopt;
    return node;
}

struct NodePair {
    int cpu_node;
    int memory_node;
};

std::optional<NodePair> node_pair(const StrategyColumn& column) {
    const auto cpu_node = single_node(column.cpus, "node:");
    const auto memory_node = single_node(column.memory, "bind:");
    if (!cpu_node || !memory_node) return std::nullopt;
    return NodePair{*cpu_node, *memory_node};
}

std::size_t position_of(const std::vector<int>& nodes, int node) {
    return static_cast<std::size_t>(std::ranges::lower_bound(nodes, node) - nodes.begin());
}

std::string cell_text(const MetricRow& row, const NodeMatrix& matrix, std::size_t cpu_row, std::size_t memory_column) {
    const auto column = matrix.column(cpu_row, memory_column);
    if (!column) return "- (not run)";
    const Cell& cell = row.cells[*column];
    if (!cell.mean) return fmt::format("- ({})", cell.why_no_mean);
    const std::string mean = number(*cell.mean, decimals(row));
    const auto local = matrix.local_column(matrix.cpu_nodes[cpu_row]);
    const Cell* const base = local ? &row.cells[*local] : nullptr;
    if (base == nullptr || !base->mean || *base->mean == 0) return mean;
    return fmt::format("{} ({:>3.0f} %)", mean, 100 * *cell.mean / *base->mean);
}

std::string metric_table(const MetricRow& row, const NodeMatrix& matrix) {
    constexpr std::size_t width = 20;
    std::string text =
        fmt::format("{} {} {}\n{:9}", row.better == Better::higher ? "Hmean" : "Amean", row.metric, row.unit, "");
    for (const int node : matrix.memory_nodes)
        text += fmt::format("{:>{}}", fmt::format("memory {}", node), width);
    text += '\n';
    for (std::size_t i = 0; i < matrix.cpu_nodes.size(); ++i) {
        text += fmt::format("CPUs {:<4}", matrix.cpu_nodes[i]);
        for (std::size_t j = 0; j < matrix.memory_nodes.size(); ++j)
            text += fmt::format("{:>{}}", cell_text(row, matrix, i, j), width);
        text += '\n';
    }
    return text + '\n';
}

/// Trials per pair: "5 trials a pair", or the range.
std::string trials_line(const Comparison& comparison) {
    const auto finished = [](const StrategyColumn& column) { return column.trials - column.failed; };
    const auto [least, most] = std::ranges::minmax(comparison.columns, {}, finished);
    return finished(least) == finished(most)
               ? fmt::format("{} finished trial{} a pair\n", finished(most), finished(most) == 1 ? "" : "s")
               : fmt::format("{} to {} finished trials a pair\n", finished(least), finished(most));
}

/// "labels: small-arrays (10 of 20 trials), one-node (20 of 20 trials)"
std::string labels_line(const Comparison& comparison) {
    std::vector<std::pair<std::string, int>> labels;
    int trials = 0;
    for (const StrategyColumn& column : comparison.columns) {
        trials += column.trials;
        for (const auto& [label, count] : column.labels) {
            const auto known = std::ranges::find(labels, label, &std::pair<std::string, int>::first);
            if (known == labels.end()) {
                labels.emplace_back(label, count);
            } else {
                known->second += count;
            }
        }
    }
    std::string text;
    for (const auto& [label, count] : labels)
        text += fmt::format("{}{} ({} of {} trials)", text.empty() ? "labels: " : ", ", label, count, trials);
    return text.empty() ? text : text + "\n";
}

/// What was said of pairs, each thing once with the pairs it was said of.
std::string lines_of_pairs(std::string_view kind, const Comparison& comparison,
                           std::vector<std::string> StrategyColumn::*texts) {
    std::vector<std::pair<std::string, std::vector<std::string>>> pairs_of_text;
    for (const StrategyColumn& column : comparison.columns) {
        for (const std::string& text : column.*texts) {
            auto known =
                std::ranges::find(pairs_of_text, text, &std::pair<std::string, std::vector<std::string>>::first);
            if (known == pairs_of_text.end()) known = pairs_of_text.insert(known, {text, {}});
            known->second.push_back(fmt::format("{} {}", column.cpus, column.memory));
        }
    }
    std::string lines;
    for (const auto& [text, pairs] : pairs_of_text)
        lines += fmt::format(
            "{}: {}: {}\n", kind,
            pairs.size() == comparison.columns.size() ? "every pair" : fmt::format("{}", fmt::join(pairs, ", ")), text);
    return lines;
}

std::string notes(const Comparison& comparison, const NodeMatrix& matrix) {
    std::string text = trials_line(comparison) + labels_line(comparison);
    if (matrix.cpu_nodes.size() == 1 && matrix.memory_nodes.size() == 1)
        text += "one NUMA node here: there is nothing to compare its memory with\n";
    for (const int node : matrix.memory_nodes)
        if (std::ranges::find(matrix.cpu_nodes, node) == matrix.cpu_nodes.end())
            text += fmt::format("node {}: memory only, no threads ran there\n", node);
    return text + lines_of_pairs("note", comparison, &StrategyColumn::remarks) +
           lines_of_pairs("failed", comparison, &StrategyColumn::failures);
}

}  // namespace

std::optional<std::size_t> NodeMatrix::local_column(int node) const {
    const std::size_t row = position_of(cpu_nodes, node);
    const std::size_t column_of_node = position_of(memory_nodes, node);
    if (row == cpu_nodes.size() || cpu_nodes[row] != node) return std::nullopt;
    if (column_of_node == memory_nodes.size() || memory_nodes[column_of_node] != node) return std::nullopt;
    return column(row, column_of_node);
}

std::optional<NodeMatrix> find_node_matrix(const Comparison& comparison) {
    std::vector<NodePair> pairs;
    std::set<int> cpu_nodes;
    std::set<int> memory_nodes;
    for (const StrategyColumn& column : comparison.columns) {
        const auto pair = node_pair(column);
        const StrategyColumn& first = comparison.columns.front();
        if (!pair || column.policy != first.policy || column.bind != first.bind) return std::nullopt;
        pairs.push_back(*pair);
        cpu_nodes.insert(pair->cpu_node);
        memory_nodes.insert(pair->memory_node);
    }
    if (pairs.empty()) return std::nullopt;
    NodeMatrix matrix{{cpu_nodes.begin(), cpu_nodes.end()}, {memory_nodes.begin(), memory_nodes.end()}, {}};
    matrix.columns.resize(matrix.cpu_nodes.size() * matrix.memory_nodes.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        auto& place = matrix.columns[position_of(matrix.cpu_nodes, pairs[i].cpu_node) * matrix.memory_nodes.size() +
                                     position_of(matrix.memory_nodes, pairs[i].memory_node)];
        if (place) return std::nullopt;
        place = i;
    }
    return matrix;
}

std::vector<const MetricRow*> matrix_metrics(const Comparison& comparison) {
    std::vector<const MetricRow*> rates;
    std::vector<const MetricRow*> others;
    for (const MetricRow& row : comparison.rows) {
        if (is_runner_metric(row.metric)) continue;
        (row.unit.ends_with("/s") ? rates : others).push_back(&row);
    }
    return rates.empty() ? others : rates;
}

std::string node_matrix_tables(const Comparison& comparison, const TableOptions& options) {
    const auto matrix = find_node_matrix(comparison);
    if (!matrix) return {};
    const StrategyColumn& strategy = comparison.columns.front();
    std::string text =
        fmt::format("{}\n{}threads on one node, memory on another; policy {}, bind {}\n\n", title_of(comparison),
                    options.emulated() ? emulated_label : "", strategy.policy, strategy.bind);
    for (const MetricRow* const row : matrix_metrics(comparison))
        text += metric_table(*row, *matrix);
    text += "( %) of the same threads with memory on their own node\n";
    return text + notes(comparison, *matrix);
}

}  // namespace pinwise
