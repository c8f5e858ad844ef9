#include "workloads/npb/is/key_buckets.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "workloads/common/partition.hpp"

namespace pinwise::npb::is {

namespace {

// As many buckets as have their open lines in a first-level cache, and more where a bucket's counters would leave the
// second-level cache. More threads need more buckets to share the counting evenly.
constexpr unsigned least_log2_buckets = 7;
constexpr unsigned most_log2_range = 18;
constexpr unsigned most_log2_buckets_for_threads = 10;
constexpr unsigned buckets_per_thread = 8;

constexpr std::size_t line_keys = 64 / sizeof(Key);
constexpr std::size_t most_chunk_keys = 4096 / sizeof(Key);

/// Rows of one thread begin on lines of their own.
constexpr std::size_t padded(std::size_t count) {
    return (count + line_keys - 1) / line_keys * line_keys;
}

}  // namespace

std::uint64_t BucketShape::bytes() const {
    const std::uint64_t of_pools = std::uint64_t{threads} * pool_keys() * sizeof(Key);
    const std::uint64_t of_links = std::uint64_t{threads} * padded(pool_chunks) * sizeof(std::uint32_t);
    const std::uint64_t of_rows = std::uint64_t{threads} * buckets * (sizeof(std::uint32_t) + sizeof(std::size_t));
    return of_pools + of_links + of_rows;
}

BucketShape bucket_shape(std::size_t keys, unsigned log2_max_key, std::size_t threads) {
    BucketShape shape;
    shape.keys = keys;
    shape.threads = threads;
    const auto for_threads = static_cast<unsigned>(std::bit_width(threads * buckets_per_thread - 1));
    unsigned log2_buckets = std::clamp(for_threads, least_log2_buckets, most_log2_buckets_for_threads);
    if (log2_max_key > most_log2_range) log2_buckets = std::max(log2_buckets, log2_max_key - most_log2_range);
    log2_buckets = std::min(log2_buckets, log2_max_key);
    shape.log2_range = log2_max_key - log2_buckets;
    shape.buckets = std::size_t{1} << log2_buckets;
    // Open chunks take at most a quarter of what the keys take, unless a chunk is a cache line already.
    const std::size_t wanted = keys / (4 * threads * shape.buckets);
    shape.chunk_keys = std::bit_floor(std::clamp(wanted, line_keys, most_chunk_keys));
    const std::size_t most_own_keys = workloads::slice_of(0, threads, keys, line_keys).size();
    shape.pool_chunks = most_own_keys / shape.chunk_keys + shape.buckets;
    return shape;
}

workloads::Expected<KeyBuckets> KeyBuckets::allocate(const BucketShape& shape, workloads::ThpAdvice thp) {
    auto pools = workloads::HugePageMapping::map(shape.threads * shape.pool_keys() * sizeof(Key), thp);
    if (!pools) return tl::unexpected(pools.error());
    auto links =
        workloads::HugePageMapping::map(shape.threads * padded(shape.pool_chunks) * sizeof(std::uint32_t), thp);
    if (!links) return tl::unexpected(links.error());
    return KeyBuckets(shape, std::move(*pools), std::move(*links));
}

KeyBuckets::KeyBuckets(const BucketShape& shape, workloads::HugePageMapping pools, workloads::HugePageMapping links)
    : shape_(shape),
      pools_(std::move(pools)),
      links_(std::move(links)),
      newest_(shape.threads * shape.buckets),
      sizes_(shape.threads * shape.buckets) {}

Key* KeyBuckets::pool_of(std::size_t thread) const {
    return pools_.as<Key>(shape_.threads * shape_.pool_keys()).data() + thread * shape_.pool_keys();
}

std::uint32_t* KeyBuckets::links_of(std::size_t thread) const {
    const std::size_t row = padded(shape_.pool_chunks);
    return links_.as<std::uint32_t>(shape_.threads * row).data() + thread * row;
}

void KeyBuckets::touch(std::size_t thread) {
    std::fill_n(pool_of(thread), shape_.pool_keys(), 0);
    std::fill_n(links_of(thread), shape_.pool_chunks, 0);
}

void KeyBuckets::part(std::size_t thread, std::span<const Key> keys) {
    Key* const pool = pool_of(thread);
    std::uint32_t* const links = links_of(thread);
    std::uint32_t* const newest = newest_.data() + thread * shape_.buckets;
    const std::size_t buckets = shape_.buckets;
    const std::size_t chunk_keys = shape_.chunk_keys;
    const unsigned shift = shape_.log2_range;
    // Chunks are aligned to their size, so a cursor tells by its address when its chunk is full.
    const std::size_t chunk_mask = chunk_keys * sizeof(Key) - 1;
    std::vector<Key*> cursors(buckets);
    std::vector<std::size_t> full_keys(buckets);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        newest[bucket] = static_cast<std::uint32_t>(bucket);
        cursors[bucket] = pool + bucket * chunk_keys;
    }
    auto next_chunk = static_cast<std::uint32_t>(buckets);
    Key** const cursor = cursors.data();
    for (const Key key : keys) {
        const std::size_t bucket = key >> shift;
        Key* const place = cursor[bucket];
        *place = key;
        cursor[bucket] = place + 1;
        if ((reinterpret_cast<std::uintptr_t>(place + 1) & chunk_mask) == 0) [[unlikely]] {
            links[next_chunk] = newest[bucket];
            newest[bucket] = next_chunk;
            full_keys[bucket] += chunk_keys;
            cursor[bucket] = pool + next_chunk * chunk_keys;
            ++next_chunk;
        }
    }
    for (std::size_t bucket = 0; bucket < buckets; ++bucket)
        sizes_[thread * buckets + bucket] =
            full_keys[bucket] + static_cast<std::size_t>(cursors[bucket] - (pool + newest[bucket] * chunk_keys));
}

}  // namespace pinwise::npb::is
