#pragma once
/// Thread counts and masks in terms of the machine, so that one config is right everywhere. Pure.
///
///     count  = factor { ("*" | "/") factor }                 whole numbers, "/" rounds down, left to right
///     factor = NUMBER | "cpus" | "cores" | "llcs" | "nodes" | "cores-per-node" |
///              ("min" | "max") "(" count "," count ")"
///     condition = count ">=" count
///     mask   = "all" | "one-per-llc" | "one-per-core" | "one-per-node" | "one-per-thread" | "cores-per-node:" NUMBER |
///              "node:" LIST | LIST
///
/// Everything is counted over machine.allowed: an LLC (core, node) without an allowed CPU does not count.
/// "cores-per-node" counts the node with the fewest cores. LIST is the grammar of cpu_list.hpp. Errors are usage errors
/// that name the position and the words allowed.

#include <string>
#include <string_view>

#include "placer/result.hpp"
#include "placer/topology/cpu_set.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

/// Largest thread count an expression may give.
inline constexpr int max_thread_count = 65536;

/// Number of threads, at least 1. Zero (as "cores/8" on a small machine gives) is an error that says so.
Result<int> evaluate_thread_count(std::string_view text, const Machine& machine);

/// Whether the machine meets a condition. A count of zero is one here.
Result<bool> evaluate_condition(std::string_view text, const Machine& machine);

/// "allowed: 256 cpus, 128 cores, 16 llcs, 2 nodes": what the words of a count stand for here.
std::string describe_counts(const Machine& machine);

/// The set of CPUs, never empty and a subset of machine.allowed.
/// - one-per-X: the first allowed CPU of each X, first SMT siblings before others.
/// - one-per-thread: `threads` CPUs, evenly spaced over nodes, then LLCs, then cores; SMT siblings only when there are
///   more threads than cores. 8 threads on two sockets of 8 LLCs get every second LLC: 4 on each socket.
/// - cores-per-node:N: the first allowed CPU of the first N cores of each node; a node with fewer is an error.
/// - a CPU that is absent, offline or not allowed is an error that says which.
Result<CpuSet> evaluate_cpus(std::string_view text, const Machine& machine, int threads);

}  // namespace pinwise
