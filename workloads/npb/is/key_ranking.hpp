#pragma once
/// The rank table of a key sequence: for every value, how many keys are not larger. Made and used by a team.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "workloads/common/first_touch.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/partition.hpp"
#include "workloads/common/thread_team.hpp"
#include "workloads/npb/common/team_barrier.hpp"
#include "workloads/npb/is/key_buckets.hpp"

namespace pinwise::npb::is {

/// Part of the keys that a thread generates, reads and first touches.
std::span<Key> own_keys(std::span<Key> keys, std::size_t thread, std::size_t threads);

/// Writes NPB's sequence of keys below 2^log2_max_key, each the sum of four random numbers, beginning with key number
/// `first`.
void generate_keys(std::span<Key> keys, std::uint64_t first, unsigned log2_max_key);

/// Ranks keys by parting them into buckets and counting each bucket by itself: a bucket's counters stay in a cache.
/// Buckets belong to threads by the number of keys, so a thread gets the same buckets in every iteration as long as the
/// keys are nearly the same. `Rank` is std::uint32_t or, from 2^32 keys, std::uint64_t.
template <class Rank>
class KeyRanking {
public:
    /// Allocates for `keys` keys below 2^log2_max_key, and touches: each thread's buckets by that thread, or, with
    /// Touch::master, all and the rank table by the caller. The rank table of Touch::parallel is left to the first call
    /// of rank_keys.
    static workloads::Expected<KeyRanking> create(std::size_t keys, unsigned log2_max_key,
                                                  const workloads::ThreadTeam& team, workloads::Touch touch,
                                                  workloads::ThpAdvice thp);

    /// Bytes that create allocates.
    static std::uint64_t bytes_needed(std::size_t keys, unsigned log2_max_key, std::size_t threads);

    /// Makes the rank table of `keys`, as many as were given to create. Opens a parallel region.
    void rank_keys(std::span<const Key> keys);

    /// Number of keys smaller than `key`, by the last rank_keys.
    [[nodiscard]] std::uint64_t rank_of(Key key) const { return key == 0 ? 0 : ranks_[key - 1]; }

    /// Uses the rank table up: writes every key that was ranked to its place in `sorted`, and returns how many have no
    /// place or are out of order.
    std::uint64_t sort_and_count_errors(std::span<Key> sorted);

    [[nodiscard]] const KeyBuckets& buckets() const { return buckets_; }
    [[nodiscard]] std::span<const std::byte> rank_table_bytes() const { return table_.bytes(); }

private:
    KeyRanking(KeyBuckets buckets, workloads::HugePageMapping table, unsigned log2_max_key,
               const workloads::ThreadTeam& team);

    /// How many keys are in lower buckets, for every bucket.
    void find_bucket_starts();

    /// Buckets [begin, end) of a thread.
    [[nodiscard]] workloads::Slice own_buckets(std::size_t thread) const;

    void count_bucket(std::size_t bucket);

    KeyBuckets buckets_;
    workloads::HugePageMapping table_;
    std::span<Rank> ranks_;
    int threads_;
    std::vector<std::size_t> bucket_starts_;
    std::unique_ptr<TeamBarrier> barrier_;
};

extern template class KeyRanking<std::uint32_t>;
extern template class KeyRanking<std::uint64_t>;

}  // namespace pinwise::npb::is
