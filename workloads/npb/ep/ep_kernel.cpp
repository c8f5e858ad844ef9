#include "workloads/npb/ep/ep_kernel.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "workloads/common/partition.hpp"
#include "workloads/npb/common/stopwatch.hpp"
#include "workloads/npb/ep/ep_reference.hpp"
#include "workloads/npb/ep/gaussian_pairs.hpp"

namespace pinwise::npb::ep {

namespace {

/// EP has no iterations. So that a change of speed during the run can be seen, the main thread reads the clock after
/// every such part of its own batches.
constexpr std::uint64_t timed_parts = 16;

/// One thread's share, and how long each part of it took.
PairTally tally_share(workloads::Slice batches, std::vector<double>& times_s) {
    PairTally tally;
    Stopwatch watch;
    for (std::uint64_t part = 0; part < timed_parts; ++part) {
        const auto [begin, end] = workloads::slice_of(part, timed_parts, batches.size(), 1);
        tally += tally_batches(batches.begin + begin, end - begin);
        times_s.push_back(watch.lap());
    }
    return tally;
}

/// The threads' tallies are added in the order of the threads, whoever ends first.
PairTally tally_all(std::uint64_t batches, int threads, std::vector<double>& times_s) {
    std::vector<PairTally> tallies(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        std::vector<double> own_times_s;
        own_times_s.reserve(timed_parts);
        tallies[thread] = tally_share(workloads::slice_of(thread, tallies.size(), batches, 1), own_times_s);
        if (thread == 0) times_s = std::move(own_times_s);
    }
    PairTally sum;
    for (const PairTally& tally : tallies)
        sum += tally;
    return sum;
}

std::vector<std::string> findings_of(const PairTally& tally) {
    return {fmt::format("Gaussian pairs {}, by annulus {}", tally.pairs(), fmt::join(tally.counts, " ")),
            fmt::format("sums of X {:.15e}, Y {:.15e}", tally.sum_x, tally.sum_y),
            fmt::format("sums of |X| {:.15e}, |Y| {:.15e}", tally.sum_abs_x, tally.sum_abs_y)};
}

std::uint64_t bytes_needed(ProblemClass /*problem_class*/, int threads) {
    return static_cast<std::uint64_t>(threads) * sizeof(PairTally);
}

workloads::Expected<KernelRun> run(const RunParameters& parameters, workloads::ThreadTeam& team) {
    const Problem problem = problem_of(parameters.problem_class);
    KernelRun result;
    result.size = fmt::format("{}", 2 * problem.pairs());
    result.operations = 2.0 * static_cast<double>(problem.pairs());
    result.parameters = {{"batches", problem.batches()}, {"vector_target", vector_target()}};
    std::vector<double> times_s;
    const Stopwatch watch;
    const PairTally tally = tally_all(problem.batches(), team.size(), times_s);
    result.time_s = watch.seconds();
    workloads::record_last_cpus(team);
    result.iteration_times = {{"parts of the main thread's share", times_s}};
    result.checks = checks_of(parameters.problem_class, tally);
    result.findings = findings_of(tally);
    result.pages.unavailable_because = "EP has no arrays";
    return result;
}

}  // namespace

const Kernel& kernel() {
    static constexpr Kernel ep{
        "ep", "Gaussian pairs from random numbers", "Random numbers generated", all_classes, bytes_needed, run};
    return ep;
}

}  // namespace pinwise::npb::ep
