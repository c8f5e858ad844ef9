#include "workloads/numa_test/random_updates.hpp"

#include <algorithm>
#include <utility>

namespace pinwise::numa_test {

namespace {

constexpr std::uint64_t period = 16;

double addend(std::uint64_t i) {
    return static_cast<double>(1 + i % period);
}

double weight(std::uint64_t position) {
    return static_cast<double>(1 + position % period);
}

/// Xorshift64* (Vigna 2016), whose upper half is reduced to a range by Lemire's multiplication.
class IndexSequence {
public:
    std::uint32_t below(std::uint64_t range) {
        state_ ^= state_ >> 12U;
        state_ ^= state_ << 25U;
        state_ ^= state_ >> 27U;
        const std::uint64_t draw = (state_ * 0x2545F4914F6CDD1DULL) >> 32U;
        return static_cast<std::uint32_t>(draw * range >> 32U);
    }

private:
    std::uint64_t state_ = 0x9E3779B97F4A7C15ULL;
};

}  // namespace

RandomUpdates::RandomUpdates(workloads::HugePageMapping mapping, std::uint64_t elements)
    : mapping_(std::move(mapping)) {
    const auto doubles = mapping_.as<double>(2 * elements);
    a_ = doubles.first(elements);
    b_ = doubles.subspan(elements);
    std::byte* const after = mapping_.bytes().data() + doubles.size_bytes();
    index_ = {reinterpret_cast<std::uint32_t*>(after), elements};
}

workloads::Expected<RandomUpdates> RandomUpdates::map(std::uint64_t elements, workloads::ThpAdvice thp) {
    auto mapping = workloads::HugePageMapping::map(elements * element_bytes, thp);
    if (!mapping) return tl::unexpected(mapping.error());
    return RandomUpdates(std::move(*mapping), elements);
}

void RandomUpdates::fill() {
    IndexSequence sequence;
    for (std::uint64_t i = 0; i < elements(); ++i) {
        a_[i] = 0;
        b_[i] = addend(i);
        index_[i] = sequence.below(elements());
    }
}

Sums RandomUpdates::sums() const {
    Sums sums;
    for (std::uint64_t i = 0; i < elements(); ++i) {
        sums.plain += a_[i];
        sums.weighted += weight(i) * a_[i];
    }
    return sums;
}

Sums RandomUpdates::expected_sums(std::uint64_t sweeps) const {
    IndexSequence sequence;
    Sums once;
    for (std::uint64_t i = 0; i < elements(); ++i) {
        once.plain += addend(i);
        once.weighted += addend(i) * weight(sequence.below(elements()));
    }
    return {once.plain * static_cast<double>(sweeps), once.weighted * static_cast<double>(sweeps)};
}

}  // namespace pinwise::numa_test
