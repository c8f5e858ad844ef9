#include "runner/record/moves_csv.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "runner/record/csv_writer.hpp"

namespace pinwise {

namespace {

void append(CsvWriter& csv, const BalanceMove& move) {
    csv.number(move.time_ns);
    for (const int number : {move.thread, move.pid, move.tid})
        csv.number(std::int64_t{number});
    csv.text(move.name);
    for (const int number : {move.home_node, move.from_node, move.to_node, move.cpu})
        csv.number(std::int64_t{number});
    csv.text(to_string(move.reason));
    for (const NodeState& node : {move.from, move.to}) {
        csv.number(std::int64_t{node.load});
        csv.number(std::int64_t{node.running});
        csv.number(std::int64_t{node.cpus});
    }
    csv.end_record();
}

}  // namespace

std::string format_moves(std::span<const BalanceMove> moves) {
    CsvWriter csv;
    for (const char* column : {"time_ns", "thread", "pid", "tid", "name", "home_node", "from_node", "to_node", "cpu",
                               "reason", "from_load", "from_running", "from_cpus", "to_load", "to_running", "to_cpus"})
        csv.text(column);
    csv.end_record();
    for (const BalanceMove& move : moves)
        append(csv, move);
    return csv.str();
}

std::string describe(const BalanceSummary& summary) {
    return fmt::format("balancer: {} moves off the busiest node, {} home, {} threads away at the end", summary.left,
                       summary.returned, summary.away);
}

}  // namespace pinwise
