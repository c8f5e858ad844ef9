#pragma once
/// The threads of a run inside their one parallel region: who does what, barriers, and numbers that all must know.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/common/partition.hpp"
#include "workloads/npb/common/team_barrier.hpp"

namespace pinwise::npb::ua {

/// What the workers share.
class Crew {
public:
    explicit Crew(const workloads::ThreadTeam& team) : Crew(team.size(), spin_rounds_for(team)) {}
    Crew(int threads, std::uint32_t spin_rounds)
        : barrier_(threads, spin_rounds), counts_(static_cast<std::size_t>(threads)) {}

    [[nodiscard]] std::size_t size() const { return counts_.size(); }

private:
    friend class Worker;

    static constexpr std::size_t most_counts = 4;
    struct alignas(64) Counts {
        std::array<std::uint64_t, most_counts> values{};
    };

    TeamBarrier barrier_;
    std::vector<Counts> counts_;
    Counts totals_;
    double sum_ = 0;
};

/// How many of something the threads before this one have, and all together.
struct Share {
    std::uint64_t before = 0;
    std::uint64_t total = 0;
};

/// One thread of the crew. Barriers and sums are called by all of them in the same order.
class Worker {
public:
    Worker(Crew& crew, std::size_t thread) : crew_(&crew), thread_(thread) {}

    [[nodiscard]] std::size_t thread() const { return thread_; }
    [[nodiscard]] std::size_t threads() const { return crew_->size(); }
    [[nodiscard]] bool is_first() const { return thread_ == 0; }

    /// This thread's part of `count` things.
    [[nodiscard]] workloads::Slice slice(std::size_t count) const {
        return workloads::slice_of(thread_, threads(), count, 1);
    }

    void barrier() { crew_->barrier_.wait(); }

    /// The last thread to arrive runs `completion` before any goes on.
    template <class Completion>
    void barrier(const Completion& completion) {
        crew_->barrier_.wait(completion);
    }

    /// Prefix sums over the threads, each count rounded up to a multiple of `granule` first. A barrier.
    template <std::size_t n>
    std::array<Share, n> prefix_sums(const std::array<std::uint64_t, n>& own,
                                     const std::array<std::uint64_t, n>& granule) {
        static_assert(n <= Crew::most_counts);
        auto& mine = crew_->counts_[thread_].values;
        for (std::size_t i = 0; i < n; ++i)
            mine[i] = (own[i] + granule[i] - 1) / granule[i] * granule[i];
        barrier([this] { scan_counts(); });
        std::array<Share, n> shares{};
        for (std::size_t i = 0; i < n; ++i)
            shares[i] = {mine[i], crew_->totals_.values[i]};
        return shares;
    }

    std::uint64_t sum(std::uint64_t own) { return prefix_sums<1>({own}, {1})[0].total; }

    /// The sum of `parts`, which all threads have written together, in an order that depends on nothing but their
    /// number: the same for any number of threads. A barrier.
    double sum_of(std::span<const double> parts) {
        barrier([&] { crew_->sum_ = ordered_sum(parts); });
        return crew_->sum_;
    }

private:
    void scan_counts() {
        crew_->totals_ = {};
        for (auto& each : crew_->counts_)
            for (std::size_t i = 0; i < Crew::most_counts; ++i) {
                const std::uint64_t own = each.values[i];
                each.values[i] = crew_->totals_.values[i];
                crew_->totals_.values[i] += own;
            }
    }

    /// Eight sums side by side, so that no addition waits for the one before.
    static double ordered_sum(std::span<const double> parts) {
        std::array<double, 8> sums{};
        for (std::size_t i = 0; i < parts.size(); ++i)
            sums[i % 8] += parts[i];
        double sum = 0;
        for (const double each : sums)
            sum += each;
        return sum;
    }

    Crew* crew_;
    std::size_t thread_;
};

}  // namespace pinwise::npb::ua
