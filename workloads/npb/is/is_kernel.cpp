#include "workloads/npb/is/is_kernel.hpp"

#include <utility>

#include <fmt/format.h>

#include "workloads/common/page_watch.hpp"
#include "workloads/npb/common/stopwatch.hpp"
#include "workloads/npb/is/is_reference.hpp"
#include "workloads/npb/is/key_ranking.hpp"

namespace pinwise::npb::is {

namespace {

/// Ranks need 64 bits from 2^32 keys on.
bool needs_wide_ranks(const Problem& problem) {
    return problem.log2_keys >= 32;
}

std::uint64_t bytes_needed(ProblemClass problem_class, int threads) {
    const Problem problem = problem_of(problem_class);
    const auto team = static_cast<std::size_t>(threads);
    const std::uint64_t of_ranking =
        needs_wide_ranks(problem) ? KeyRanking<std::uint64_t>::bytes_needed(problem.keys(), problem.log2_max_key, team)
                                  : KeyRanking<std::uint32_t>::bytes_needed(problem.keys(), problem.log2_max_key, team);
    return problem.keys() * sizeof(Key) + of_ranking;
}

/// The two keys that an iteration changes before it ranks.
void perturb(std::span<Key> keys, const Problem& problem, int iteration) {
    const auto offset = static_cast<std::size_t>(iteration);
    keys[offset] = static_cast<Key>(offset);
    keys[offset + iterations] = static_cast<Key>(problem.max_key() - offset);
}

using ProbeKeys = std::array<Key, probes>;

ProbeKeys read_probes(std::span<const Key> keys, const Problem& problem) {
    ProbeKeys values{};
    for (std::size_t probe = 0; probe < probes; ++probe)
        values[probe] = keys[problem.probe_indices[probe]];
    return values;
}

using ProbeRanks = std::array<std::uint64_t, probes>;

template <class Rank>
ProbeRanks rank_iteration(KeyRanking<Rank>& ranking, std::span<Key> keys, const Problem& problem, int iteration) {
    perturb(keys, problem, iteration);
    const ProbeKeys values = read_probes(keys, problem);
    ranking.rank_keys(keys);
    ProbeRanks ranks{};
    for (std::size_t probe = 0; probe < probes; ++probe)
        ranks[probe] = ranking.rank_of(values[probe]);
    return ranks;
}

void add_checks(ProblemClass problem_class, int iteration, const ProbeRanks& ranks, std::vector<Check>& checks) {
    for (std::size_t probe = 0; probe < probes; ++probe)
        checks.push_back(exact_check(fmt::format("the rank of probe {} in iteration {}", probe, iteration),
                                     ranks[probe], expected_rank(problem_class, probe, iteration)));
}

template <class Rank>
workloads::PageWatch watch_pages(std::span<Key> keys, const KeyRanking<Rank>& ranking, workloads::ThreadTeam& team) {
    return {team,
            {{"keys", std::as_bytes(keys)},
             {"buckets", ranking.buckets().all_pool_bytes()},
             {"ranks", ranking.rank_table_bytes()}},
            [&ranking, keys, threads = team.threads.size()](int thread) {
                const auto index = static_cast<std::size_t>(thread);
                return std::vector<workloads::MemoryRange>{std::as_bytes(own_keys(keys, index, threads)),
                                                           ranking.buckets().pool_bytes(index)};
            }};
}

template <class Rank>
workloads::Expected<KernelRun> run_with(const RunParameters& parameters, workloads::ThreadTeam& team) {
    const Problem problem = problem_of(parameters.problem_class);
    auto mapping = workloads::HugePageMapping::map(problem.keys() * sizeof(Key), parameters.thp);
    if (!mapping) return tl::unexpected(mapping.error());
    const auto keys = mapping->template as<Key>(problem.keys());
    first_touch(parameters.touch, team.size(), [&](int thread) {
        const auto own = own_keys(keys, static_cast<std::size_t>(thread), team.threads.size());
        generate_keys(own, static_cast<std::uint64_t>(own.data() - keys.data()), problem.log2_max_key);
    });
    auto ranking = KeyRanking<Rank>::create(keys.size(), problem.log2_max_key, team, parameters.touch, parameters.thp);
    if (!ranking) return tl::unexpected(ranking.error());
    auto pages = watch_pages(keys, *ranking, team);
    pages.start();
    rank_iteration(*ranking, keys, problem, 1);  // untimed, as NPB has it

    KernelRun result;
    std::array<ProbeRanks, iterations> ranks{};
    std::vector<double> times_s;
    times_s.reserve(iterations);
    Stopwatch watch;
    for (int iteration = 1; iteration <= iterations; ++iteration) {
        ranks.at(static_cast<std::size_t>(iteration - 1)) = rank_iteration(*ranking, keys, problem, iteration);
        times_s.push_back(watch.lap());
        pages.look();
    }
    result.time_s = watch.seconds();
    workloads::record_last_cpus(team);
    result.pages = pages.finish();
    for (int iteration = 1; iteration <= iterations; ++iteration)
        add_checks(parameters.problem_class, iteration, ranks.at(static_cast<std::size_t>(iteration - 1)),
                   result.checks);
    result.checks.push_back(exact_check("the number of keys out of order", ranking->sort_and_count_errors(keys), 0));

    result.size = fmt::format("{}", problem.keys());
    result.iterations = iterations;
    result.operations = static_cast<double>(iterations) * static_cast<double>(problem.keys());
    result.iteration_times = {{"rank", std::move(times_s)}};
    result.parameters = {{"max_key", problem.max_key()},
                         {"buckets", ranking->buckets().shape().buckets},
                         {"chunk_keys", ranking->buckets().shape().chunk_keys}};
    if (!mapping->advice_refused().empty()) result.notes.push_back(mapping->advice_refused());
    return result;
}

workloads::Expected<KernelRun> run(const RunParameters& parameters, workloads::ThreadTeam& team) {
    return needs_wide_ranks(problem_of(parameters.problem_class)) ? run_with<std::uint64_t>(parameters, team)
                                                                  : run_with<std::uint32_t>(parameters, team);
}

}  // namespace

const Kernel& kernel() {
    static constexpr Kernel is{"is", "ranks of integer keys", "keys ranked", classes, bytes_needed, run};
    return is;
}

}  // namespace pinwise::npb::is
