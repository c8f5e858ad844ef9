#include "placer/policy/random.hpp"

#include <bit>

#include <fmt/format.h>

namespace pinwise {

namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): the i-th number of a sequence without making the ones before it.
std::uint64_t number_at(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// `number` scaled from 32 bits to 0 ... limit - 1; the bias is limit / 2^32.
int below(int limit, std::uint64_t number) {
    constexpr int half = 32;
    return static_cast<int>(((number >> half) * static_cast<std::uint64_t>(limit)) >> half);
}

/// The member with `before` members below it.
int member_at(const CpuSet& set, int before) {
    constexpr int bits_per_word = 64;
    int base = 0;
    for (std::uint64_t word : set.words()) {
        const int members = std::popcount(word);
        if (before < members) {
            for (; before > 0; --before)
                word &= word - 1;
            return base + std::countr_zero(word);
        }
        before -= members;
        base += bits_per_word;
    }
    return -1;
}

}  // namespace

int RandomPolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* why) const {
    const int count = query.allowed.count();
    const int chosen = below(count, number_at(seed_, static_cast<std::uint64_t>(query.thread_index)));
    if (why != nullptr)
        why->push_back({"random", fmt::format("number {} of {} allowed CPUs, seed {}", chosen, count, seed_)});
    return member_at(query.allowed, chosen);
}

}  // namespace pinwise
