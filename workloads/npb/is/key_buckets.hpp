#pragma once
/// Keys parted by their high bits into buckets, by every thread for itself: no thread waits for another's counts, and
/// every thread writes only memory of its own.
///
/// A bucket of a thread is a chain of chunks from the thread's pool. A chunk is opened when the one before it is full,
/// so the pool never runs out.

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/common/expected.hpp"
#include "workloads/common/huge_page_mapping.hpp"

namespace pinwise::npb::is {

using Key = std::uint32_t;

/// How keys are parted: a function of the sizes alone.
struct BucketShape {
    std::size_t keys = 0;
    std::size_t threads = 1;
    unsigned log2_range = 0;      ///< a bucket holds keys of 2^log2_range values
    std::size_t buckets = 1;      ///< 2^(log2_max_key − log2_range)
    std::size_t chunk_keys = 0;   ///< keys of one chunk, a power of two
    std::size_t pool_chunks = 0;  ///< chunks of one thread's pool

    [[nodiscard]] std::size_t pool_keys() const { return pool_chunks * chunk_keys; }
    [[nodiscard]] std::uint64_t bytes() const;  ///< of all pools, links and cursors
};

BucketShape bucket_shape(std::size_t keys, unsigned log2_max_key, std::size_t threads);

class KeyBuckets {
public:
    static workloads::Expected<KeyBuckets> allocate(const BucketShape& shape, workloads::ThpAdvice thp);

    [[nodiscard]] const BucketShape& shape() const { return shape_; }

    /// Writes all of a thread's pool and links, so that they belong to the caller's node.
    void touch(std::size_t thread);

    /// Forgets what the thread's buckets held and parts `keys` (at most keys/threads rounded up to a chunk) into them.
    void part(std::size_t thread, std::span<const Key> keys);

    /// Keys in a bucket of one thread.
    [[nodiscard]] std::size_t size(std::size_t thread, std::size_t bucket) const {
        return sizes_[thread * shape_.buckets + bucket];
    }

    /// Calls use(span of keys) for every chunk of the bucket of every thread.
    template <class Use>
    void for_each_chunk(std::size_t bucket, const Use& use) const {
        for (std::size_t thread = 0; thread < shape_.threads; ++thread) {
            const Key* pool = pool_of(thread);
            const std::uint32_t* links = links_of(thread);
            std::size_t left = size(thread, bucket);
            std::size_t chunk = newest_[thread * shape_.buckets + bucket];
            // The newest chunk is the one that is not full.
            std::size_t in_chunk = left % shape_.chunk_keys;
            for (;;) {
                use(std::span<const Key>(pool + chunk * shape_.chunk_keys, in_chunk));
                left -= in_chunk;
                if (left == 0) break;
                chunk = links[chunk];
                in_chunk = shape_.chunk_keys;
            }
        }
    }

    /// Memory of one thread's pool.
    [[nodiscard]] std::span<const std::byte> pool_bytes(std::size_t thread) const {
        return std::as_bytes(std::span(pool_of(thread), shape_.pool_keys()));
    }
    [[nodiscard]] std::span<const std::byte> all_pool_bytes() const { return pools_.bytes(); }

private:
    KeyBuckets(const BucketShape& shape, workloads::HugePageMapping pools, workloads::HugePageMapping links);

    [[nodiscard]] Key* pool_of(std::size_t thread) const;
    [[nodiscard]] std::uint32_t* links_of(std::size_t thread) const;

    BucketShape shape_;
    workloads::HugePageMapping pools_;
    workloads::HugePageMapping links_;   ///< for every chunk, the one before it in its bucket
    std::vector<std::uint32_t> newest_;  ///< [thread][bucket]
    std::vector<std::size_t> sizes_;     ///< [thread][bucket]
};

}  // namespace pinwise::npb::is
