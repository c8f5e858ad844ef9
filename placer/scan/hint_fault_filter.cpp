#include "placer/scan/hint_fault_filter.hpp"

namespace pinwise {

namespace {

/// The kernel has room for so many bits of a thread's id.
constexpr std::uint32_t kernel_tid_mask = 0xff;
constexpr std::uint64_t recorded_bit = 1ULL << 48;
/// Slots looked at before the table counts as full.
constexpr std::size_t most_probes = 128;

std::uint64_t packed(Toucher toucher) {
    return recorded_bit | (std::uint64_t{toucher.node} << 32) | toucher.thread;
}

std::optional<Toucher> unpacked(std::uint64_t value) {
    if ((value & recorded_bit) == 0) return std::nullopt;
    return Toucher{static_cast<std::uint32_t>(value), static_cast<std::uint16_t>(value >> 32)};
}

bool same_thread(FilterRule rule, Toucher a, Toucher b) {
    const std::uint32_t mask = rule == FilterRule::as_kernel ? kernel_tid_mask : ~0U;
    return (a.thread & mask) == (b.thread & mask);
}

}  // namespace

bool should_migrate(FilterRule rule, std::optional<Toucher> previous, Toucher now, std::uint32_t scan_seq) noexcept {
    if (rule == FilterRule::two_touches) return previous && previous->node == now.node;
    const bool early = scan_seq <= early_passes;
    if (early && is_private_touch(rule, previous, now)) return true;
    return !previous || previous->node == now.node;
}

bool is_private_touch(FilterRule rule, std::optional<Toucher> previous, Toucher now) noexcept {
    return !previous || same_thread(rule, *previous, now);
}

TouchVerdict HintFaultFilter::touch(std::uint64_t granule, Toucher now, std::uint32_t scan_seq) noexcept {
    Slot* const slot = find(granule, true);
    if (slot == nullptr) return {.migrate = false, .is_private = false, .recorded = false};
    const auto previous = unpacked(slot->last.exchange(packed(now), std::memory_order_relaxed));
    return {.migrate = should_migrate(rule_, previous, now, scan_seq),
            .is_private = is_private_touch(rule_, previous, now),
            .recorded = true};
}

void HintFaultFilter::forget(std::uint64_t first, std::uint64_t last) noexcept {
    for (std::uint64_t granule = first; granule < last; ++granule)
        if (Slot* const slot = find(granule, false); slot != nullptr) slot->last.store(0, std::memory_order_relaxed);
}

/// Open addressing; a key that was once written stays, so that nobody ever misses one behind it.
HintFaultFilter::Slot* HintFaultFilter::find(std::uint64_t granule, bool insert) noexcept {
    const std::uint64_t key = granule + 1;
    const std::size_t mask = table_.size() - 1;
    const auto start = static_cast<std::size_t>((granule * 0x9e3779b97f4a7c15ULL) >> 20);
    for (std::size_t probe = 0; probe < most_probes && probe < table_.size(); ++probe) {
        Slot& slot = table_[(start + probe) & mask];
        std::uint64_t found = slot.granule_plus_one.load(std::memory_order_relaxed);
        if (found == 0) {
            if (!insert) return nullptr;
            if (slot.granule_plus_one.compare_exchange_strong(found, key, std::memory_order_relaxed)) return &slot;
        }
        if (found == key) return &slot;
    }
    return nullptr;
}

}  // namespace pinwise
