#pragma once
/// How large the arrays are: four times the caches, or what memory leaves, and the ratio that came of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/common/expected.hpp"
#include "workloads/common/memory_available.hpp"
#include "workloads/common/size_text.hpp"

namespace pinwise::stream {

/// STREAM's rule: each array at least four times the sum of the last-level caches.
inline constexpr double least_llc_ratio = 4.0;

/// STREAM's default, and the least that `auto` takes: below it a sweep is too short against the clock and the barrier.
inline constexpr std::uint64_t least_auto_elements = 10'000'000;

/// What the choice depends on.
struct SizeInputs {
    std::uint64_t llc_bytes = 0;  ///< sum of the last-level caches the threads can use
    workloads::MemoryAvailable available;
    int threads = 1;
    std::uint64_t huge_page_bytes = 0;
};

struct ArraySize {
    std::uint64_t elements = 0;
    double llc_ratio = 0;            ///< bytes of one array over llc_bytes
    std::vector<std::string> notes;  ///< what a reader of the result must know

    [[nodiscard]] std::uint64_t array_bytes() const { return elements * sizeof(double); }
};

/// The size asked for (of one array: elements, or bytes) or, without one, the automatic one: the rule above rounded up
/// so that every thread has whole huge pages, but at most four fifths of the memory available for the three arrays. A
/// size that does not fit in the memory available is the user's mistake and names both figures.
workloads::Expected<ArraySize> choose_array_size(const std::optional<workloads::SizeText>& requested,
                                                 const SizeInputs& inputs);

}  // namespace pinwise::stream
