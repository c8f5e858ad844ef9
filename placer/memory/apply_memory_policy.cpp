#include "placer/memory/apply_memory_policy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <numaif.h>

namespace pinwise {

namespace {

/// Since Linux 6.9; libnuma 2.0.16 does not name it, its set_mempolicy() passes it on.
constexpr int mpol_weighted_interleave = 6;

/// More nodes than any kernel is built for: get_mempolicy takes no shorter mask than it has nodes.
constexpr std::size_t mask_words = 64;
using NodeMask = std::array<unsigned long, mask_words>;
constexpr unsigned long mask_bits = mask_words * 8 * sizeof(unsigned long);

int kernel_mode(MemoryMode mode) {
    switch (mode) {
        case MemoryMode::interleave:
            return MPOL_INTERLEAVE;
        case MemoryMode::weighted_interleave:
            return mpol_weighted_interleave;
        case MemoryMode::bind:
            return MPOL_BIND;
        case MemoryMode::preferred:
            return MPOL_PREFERRED;
        case MemoryMode::first_touch:
            break;
    }
    return MPOL_DEFAULT;
}

NodeMask node_mask(const CpuSet& nodes) {
    NodeMask mask{};
    const auto words = nodes.words();
    std::copy_n(words.begin(), std::min(words.size(), mask.size()), mask.begin());
    return mask;
}

MemoryAnswer read_back(MemoryMode mode, const NodeMask& wanted) {
    int found_mode = 0;
    NodeMask found{};
    if (get_mempolicy(&found_mode, found.data(), mask_bits, nullptr, 0) != 0)
        return {.step = MemoryAnswer::Step::unverified, .error = errno, .mode = mode};
    const bool same = found_mode == kernel_mode(mode) && (mode == MemoryMode::first_touch || found == wanted);
    return {.step = same ? MemoryAnswer::Step::applied : MemoryAnswer::Step::differs, .error = 0, .mode = mode};
}

}  // namespace

MemoryAnswer apply_memory_policy(const MemoryPolicy& policy) {
    const NodeMask wanted = node_mask(policy.nodes);
    if (policy.mode == MemoryMode::first_touch) {
        const MemoryAnswer present = read_back(policy.mode, wanted);
        if (present.step != MemoryAnswer::Step::differs) return present;
    }
    const bool by_default = policy.mode == MemoryMode::first_touch;
    // The kernel counts one bit less than it is told.
    if (set_mempolicy(kernel_mode(policy.mode), by_default ? nullptr : wanted.data(), by_default ? 0 : mask_bits) != 0)
        return {.step = MemoryAnswer::Step::refused, .error = errno, .mode = policy.mode};
    return read_back(policy.mode, wanted);
}

std::string to_string(const MemoryAnswer& answer) {
    const char* name = strerrorname_np(answer.error);
    const std::string cause = name != nullptr ? name : std::to_string(answer.error);
    switch (answer.step) {
        case MemoryAnswer::Step::applied:
            return "ok";
        case MemoryAnswer::Step::unverified:
            return fmt::format("unverified({})", cause);
        case MemoryAnswer::Step::differs:
            return "differs";
        case MemoryAnswer::Step::refused:
            break;
    }
    if (answer.error == EPERM || answer.error == EACCES) return fmt::format("denied({})", cause);
    // The nodes were checked before, so it is the mode that the kernel does not know.
    const bool unknown_mode = answer.error == EINVAL && answer.mode == MemoryMode::weighted_interleave;
    if (answer.error == ENOSYS || unknown_mode) return fmt::format("unsupported({})", cause);
    return fmt::format("refused({})", cause);
}

std::string explain(const MemoryAnswer& answer) {
    switch (answer.step) {
        case MemoryAnswer::Step::applied:
            return {};
        case MemoryAnswer::Step::unverified:
            return fmt::format("get_mempolicy: {}", std::strerror(answer.error));
        case MemoryAnswer::Step::differs:
            return "the kernel reports another policy than was set";
        case MemoryAnswer::Step::refused:
            break;
    }
    if (answer.mode == MemoryMode::weighted_interleave && answer.error == EINVAL)
        return "this kernel has no weighted interleave (it came with Linux 6.9)";
    return fmt::format("set_mempolicy: {}", std::strerror(answer.error));
}

}  // namespace pinwise
