#include "placer/topology/cpu_set.hpp"

#include <algorithm>
#include <bit>

namespace pinwise {

namespace {

constexpr int bits_per_word = 64;

std::size_t word_of(int cpu) {
    return static_cast<std::size_t>(cpu) / bits_per_word;
}

std::uint64_t bit_of(int cpu) {
    return std::uint64_t{1} << (static_cast<unsigned>(cpu) % bits_per_word);
}

}  // namespace

CpuSet::CpuSet(std::initializer_list<int> cpus) {
    for (const int cpu : cpus)
        set(cpu);
}

CpuSet CpuSet::of(std::span<const int> cpus) {
    CpuSet result;
    for (const int cpu : cpus)
        result.set(cpu);
    return result;
}

CpuSet CpuSet::range(int first, int last) {
    CpuSet result;
    for (int cpu = first; cpu <= last; ++cpu)
        result.set(cpu);
    return result;
}

CpuSet CpuSet::from_words(std::span<const std::uint64_t> words) {
    CpuSet result;
    result.words_.assign(words.begin(), words.end());
    return result;
}

void CpuSet::set(int cpu) {
    if (word_of(cpu) >= words_.size()) words_.resize(word_of(cpu) + 1);
    words_[word_of(cpu)] |= bit_of(cpu);
}

void CpuSet::clear(int cpu) {
    if (word_of(cpu) < words_.size()) words_[word_of(cpu)] &= ~bit_of(cpu);
}

bool CpuSet::test(int cpu) const {
    return cpu >= 0 && word_of(cpu) < words_.size() && (words_[word_of(cpu)] & bit_of(cpu)) != 0;
}

int CpuSet::count() const {
    int total = 0;
    for (const std::uint64_t word : words_)
        total += std::popcount(word);
    return total;
}

bool CpuSet::empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
}

int CpuSet::first() const {
    return next(-1);
}

int CpuSet::last() const {
    for (std::size_t index = words_.size(); index-- > 0;) {
        if (words_[index] != 0) {
            return static_cast<int>(index) * bits_per_word + bits_per_word - 1 - std::countl_zero(words_[index]);
        }
    }
    return -1;
}

int CpuSet::next(int cpu) const {
    const int from = cpu + 1;
    std::size_t index = word_of(from);
    if (index >= words_.size()) return -1;
    std::uint64_t word = words_[index] & ~(bit_of(from) - 1);
    while (word == 0) {
        if (++index == words_.size()) return -1;
        word = words_[index];
    }
    return static_cast<int>(index) * bits_per_word + std::countr_zero(word);
}

bool CpuSet::intersects(const CpuSet& other) const {
    const std::size_t size = std::min(words_.size(), other.words_.size());
    for (std::size_t index = 0; index < size; ++index) {
        if ((words_[index] & other.words_[index]) != 0) return true;
    }
    return false;
}

int CpuSet::count_common(const CpuSet& other) const {
    const std::size_t size = std::min(words_.size(), other.words_.size());
    int total = 0;
    for (std::size_t index = 0; index < size; ++index)
        total += std::popcount(words_[index] & other.words_[index]);
    return total;
}

int CpuSet::first_common(const CpuSet& other) const {
    const std::size_t size = std::min(words_.size(), other.words_.size());
    for (std::size_t index = 0; index < size; ++index) {
        const std::uint64_t common = words_[index] & other.words_[index];
        if (common != 0) return static_cast<int>(index) * bits_per_word + std::countr_zero(common);
    }
    return -1;
}

bool CpuSet::is_subset_of(const CpuSet& other) const {
    return count_common(other) == count();
}

CpuSet& CpuSet::operator|=(const CpuSet& other) {
    if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
    for (std::size_t index = 0; index < other.words_.size(); ++index)
        words_[index] |= other.words_[index];
    return *this;
}

CpuSet& CpuSet::operator&=(const CpuSet& other) {
    if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
    for (std::size_t index = 0; index < words_.size(); ++index)
        words_[index] &= other.words_[index];
    return *this;
}

CpuSet& CpuSet::operator-=(const CpuSet& other) {
    const std::size_t size = std::min(words_.size(), other.words_.size());
    for (std::size_t index = 0; index < size; ++index)
        words_[index] &= ~other.words_[index];
    return *this;
}

bool operator==(const CpuSet& a, const CpuSet& b) {
    const std::size_t common = std::min(a.words_.size(), b.words_.size());
    const auto zero = [](std::uint64_t word) { return word == 0; };
    const auto tail = [common](const CpuSet& set) { return set.words_.begin() + static_cast<std::ptrdiff_t>(common); };
    return std::equal(a.words_.begin(), tail(a), b.words_.begin()) && std::all_of(tail(a), a.words_.end(), zero) &&
           std::all_of(tail(b), b.words_.end(), zero);
}

std::vector<int> CpuSet::to_vector() const {
    std::vector<int> cpus;
    cpus.reserve(static_cast<std::size_t>(count()));
    for (int cpu = first(); cpu >= 0; cpu = next(cpu))
        cpus.push_back(cpu);
    return cpus;
}

}  // namespace pinwise
