#include "workloads/npb/is/key_ranking.hpp"

#include <algorithm>
#include <utility>

#include <omp.h>

#include "workloads/npb/common/random.hpp"

namespace pinwise::npb::is {

namespace {

constexpr std::size_t line_keys = 64 / sizeof(Key);

}  // namespace

std::span<Key> own_keys(std::span<Key> keys, std::size_t thread, std::size_t threads) {
    const auto slice = workloads::slice_of(thread, threads, keys.size(), line_keys);
    return keys.subspan(slice.begin, slice.size());
}

void generate_keys(std::span<Key> keys, std::uint64_t first, unsigned log2_max_key) {
    RandomStream random;
    random.skip(4 * first);
    // max_key/4 · (r1 + r2 + r3 + r4), in integers: the sum of four states has 48 bits.
    const unsigned shift = 48 - log2_max_key;
    for (Key& key : keys) {
        std::uint64_t sum = 0;
        for (int number = 0; number < 4; ++number)
            sum += random.next_state();
        key = static_cast<Key>(sum >> shift);
    }
}

template <class Rank>
workloads::Expected<KeyRanking<Rank>> KeyRanking<Rank>::create(std::size_t keys, unsigned log2_max_key,
                                                               const workloads::ThreadTeam& team,
                                                               workloads::Touch touch, workloads::ThpAdvice thp) {
    auto buckets = KeyBuckets::allocate(bucket_shape(keys, log2_max_key, team.threads.size()), thp);
    if (!buckets) return tl::unexpected(buckets.error());
    auto table = workloads::HugePageMapping::map(sizeof(Rank) << log2_max_key, thp);
    if (!table) return tl::unexpected(table.error());
    KeyRanking ranking(std::move(*buckets), std::move(*table), log2_max_key, team);
    first_touch(touch, team.size(), [&](int thread) { ranking.buckets_.touch(static_cast<std::size_t>(thread)); });
    if (touch == workloads::Touch::master) std::fill(ranking.ranks_.begin(), ranking.ranks_.end(), 0);
    return ranking;
}

template <class Rank>
std::uint64_t KeyRanking<Rank>::bytes_needed(std::size_t keys, unsigned log2_max_key, std::size_t threads) {
    return bucket_shape(keys, log2_max_key, threads).bytes() + (std::uint64_t{sizeof(Rank)} << log2_max_key);
}

template <class Rank>
KeyRanking<Rank>::KeyRanking(KeyBuckets buckets, workloads::HugePageMapping table, unsigned log2_max_key,
                             const workloads::ThreadTeam& team)
    : buckets_(std::move(buckets)),
      table_(std::move(table)),
      ranks_(table_.as<Rank>(std::size_t{1} << log2_max_key)),
      threads_(team.size()),
      bucket_starts_(buckets_.shape().buckets),
      barrier_(std::make_unique<TeamBarrier>(team)) {}

template <class Rank>
void KeyRanking<Rank>::find_bucket_starts() {
    const BucketShape& shape = buckets_.shape();
    std::fill(bucket_starts_.begin(), bucket_starts_.end(), 0);
    for (std::size_t thread = 0; thread < shape.threads; ++thread)
        for (std::size_t bucket = 0; bucket + 1 < shape.buckets; ++bucket)
            bucket_starts_[bucket + 1] += buckets_.size(thread, bucket);
    for (std::size_t bucket = 1; bucket < shape.buckets; ++bucket)
        bucket_starts_[bucket] += bucket_starts_[bucket - 1];
}

template <class Rank>
workloads::Slice KeyRanking<Rank>::own_buckets(std::size_t thread) const {
    const auto first_at = [&](std::size_t owner) {
        const std::size_t key = workloads::slice_of(owner, buckets_.shape().threads, buckets_.shape().keys, 1).begin;
        return static_cast<std::size_t>(std::lower_bound(bucket_starts_.begin(), bucket_starts_.end(), key) -
                                        bucket_starts_.begin());
    };
    const bool is_last = thread + 1 == buckets_.shape().threads;
    return {first_at(thread), is_last ? bucket_starts_.size() : first_at(thread + 1)};
}

template <class Rank>
void KeyRanking<Rank>::count_bucket(std::size_t bucket) {
    const unsigned log2_range = buckets_.shape().log2_range;
    Rank* const ranks = ranks_.data();
    const auto own = ranks_.subspan(bucket << log2_range, std::size_t{1} << log2_range);
    std::fill(own.begin(), own.end(), 0);
    buckets_.for_each_chunk(bucket, [ranks](std::span<const Key> keys) {
        for (const Key key : keys)
            ++ranks[key];
    });
    auto sum = static_cast<Rank>(bucket_starts_[bucket]);
    for (Rank& rank : own)
        rank = (sum += rank);
}

template <class Rank>
void KeyRanking<Rank>::rank_keys(std::span<const Key> keys) {
#pragma omp parallel num_threads(threads_)
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        const auto slice = workloads::slice_of(thread, buckets_.shape().threads, keys.size(), line_keys);
        buckets_.part(thread, keys.subspan(slice.begin, slice.size()));
        barrier_->wait([this] { find_bucket_starts(); });
        const auto own = own_buckets(thread);
        for (std::size_t bucket = own.begin; bucket < own.end; ++bucket)
            count_bucket(bucket);
    }
}

template <class Rank>
std::uint64_t KeyRanking<Rank>::sort_and_count_errors(std::span<Key> sorted) {
    std::uint64_t errors = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : errors)
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        const auto own = own_buckets(thread);
        for (std::size_t bucket = own.begin; bucket < own.end; ++bucket)
            buckets_.for_each_chunk(bucket, [&](std::span<const Key> keys) {
                for (const Key key : keys) {
                    const std::size_t place = --ranks_[key];
                    if (place < sorted.size()) {
                        sorted[place] = key;
                    } else {
                        ++errors;
                    }
                }
            });
        barrier_->wait();
        const auto slice = workloads::slice_of(thread, buckets_.shape().threads, sorted.size(), line_keys);
        for (std::size_t i = std::max<std::size_t>(slice.begin, 1); i < slice.end; ++i)
            if (sorted[i - 1] > sorted[i]) ++errors;
    }
    return errors;
}

template class KeyRanking<std::uint32_t>;
template class KeyRanking<std::uint64_t>;

}  // namespace pinwise::npb::is
