#pragma once
/// Records of threads that have ended and wait to be taken out of the load by the next one who holds the session's
/// lock: a thread's end then costs no lock, and no signals to be blocked around it.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pinwise {

/// A set of record slots in shared memory, empty where the memory is zero. Three levels of bits, so that finding it
/// empty costs one load. A bit says "look at this record", no more: one that stays behind after its owner was killed
/// in the midst does no harm.
class LeavingThreads {
public:
    static constexpr std::size_t capacity = 65536;

    /// Needs no lock. A slot out of range is left out.
    void add(int slot) {
        const auto position = static_cast<std::size_t>(slot);
        if (position >= capacity) return;
        const std::size_t word = position / 64;
        // Upwards, and collect() goes downwards: what one of them misses stays marked above.
        words_[word].fetch_or(bit(position), std::memory_order_release);
        groups_[word / 64].fetch_or(bit(word), std::memory_order_release);
        any_.fetch_or(bit(word / 64), std::memory_order_release);
    }

    /// Takes all slots out and calls `action` with each.
    template <class Action>
    void collect(Action action) {
        if (any_.load(std::memory_order_acquire) == 0) return;
        for_each_bit(any_, [&](std::size_t group) {
            if (group >= groups_.size()) return;
            for_each_bit(groups_[group], [&](std::size_t in_group) {
                const std::size_t word = group * 64 + in_group;
                for_each_bit(words_[word], [&](std::size_t in_word) { action(static_cast<int>(word * 64 + in_word)); });
            });
        });
    }

private:
    static std::uint64_t bit(std::size_t position) { return std::uint64_t{1} << (position % 64); }

    template <class Action>
    static void for_each_bit(std::atomic<std::uint64_t>& bits, Action action) {
        for (std::uint64_t left = bits.exchange(0, std::memory_order_acquire); left != 0; left &= left - 1)
            action(static_cast<std::size_t>(std::countr_zero(left)));
    }

    std::atomic<std::uint64_t> any_;
    std::array<std::atomic<std::uint64_t>, capacity / 64 / 64> groups_;
    std::array<std::atomic<std::uint64_t>, capacity / 64> words_;
};

}  // namespace pinwise
