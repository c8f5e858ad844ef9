#include "placer/scan/scan_clock.hpp"

#include <algorithm>

#include "placer/scan/page_size.hpp"

namespace pinwise {

namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;
/// However small the windows, no more than this is scanned in a second.
constexpr std::uint64_t max_mib_per_s = 2560;
constexpr std::uint32_t slots = 10;
constexpr std::uint32_t threshold = 7;

std::uint32_t at_least_one(std::uint32_t number) {
    return std::max(number, 1U);
}

/// part of (part + rest) in slots of ten.
std::uint32_t share_in_slots(std::uint64_t part, std::uint64_t rest) {
    return part + rest == 0 ? 0 : static_cast<std::uint32_t>(part * slots / (part + rest));
}

}  // namespace

ScanPeriods scan_periods(const ScanTunables& tunables, std::uint64_t resident_bytes) noexcept {
    const std::uint64_t window_pages = std::max<std::uint64_t>(tunables.window_bytes / page_bytes, 1);
    const std::uint64_t pages = resident_bytes / page_bytes;
    ScanPeriods periods;
    periods.windows = pages == 0 ? 1 : (pages + window_pages - 1) / window_pages;
    const std::uint64_t window_mib = std::max<std::uint64_t>(tunables.window_bytes >> 20, 1);
    const std::uint64_t floor = window_mib < max_mib_per_s ? 1000 / (max_mib_per_s / window_mib) : 1000;
    periods.min_ms = static_cast<std::uint32_t>(std::max(floor, tunables.period_min_ms / periods.windows));
    periods.max_ms =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(periods.min_ms, tunables.period_max_ms / periods.windows));
    periods.start_ms = periods.min_ms;
    return periods;
}

std::uint64_t stagger_delay_ns(const ScanTunables& tunables, std::uint32_t creator_max_ms,
                               std::uint32_t creator_period_ms, std::uint32_t users) noexcept {
    const std::uint64_t product_ms = std::uint64_t{creator_period_ms} * users;
    switch (tunables.stagger) {
        case Stagger::unstaggered:
            return 0;
        case Stagger::as_intended:
            return std::min<std::uint64_t>(creator_max_ms, product_ms) * ns_per_ms + 2 * tunables.tick_ns;
        case Stagger::as_coded:
            // 32-bit arithmetic, as the kernel's.
            return std::min(creator_max_ms, static_cast<std::uint32_t>(product_ms * ns_per_ms)) + 2 * tunables.tick_ns;
    }
    return 0;
}

void FaultWindow::count(bool is_local, bool is_private, std::uint64_t pages) noexcept {
    (is_local ? local_ : remote_).fetch_add(pages, std::memory_order_relaxed);
    (is_private ? private_ : shared_).fetch_add(pages, std::memory_order_relaxed);
}

void FaultWindow::count_failed(std::uint64_t pages) noexcept {
    failed_.fetch_add(pages, std::memory_order_relaxed);
}

WindowFaults FaultWindow::read() const noexcept {
    return {local_.load(std::memory_order_relaxed), remote_.load(std::memory_order_relaxed),
            failed_.load(std::memory_order_relaxed), shared_.load(std::memory_order_relaxed),
            private_.load(std::memory_order_relaxed)};
}

void FaultWindow::subtract(const WindowFaults& counted) noexcept {
    local_.fetch_sub(counted.local, std::memory_order_relaxed);
    remote_.fetch_sub(counted.remote, std::memory_order_relaxed);
    failed_.fetch_sub(counted.failed, std::memory_order_relaxed);
    shared_.fetch_sub(counted.shared, std::memory_order_relaxed);
    private_.fetch_sub(counted.priv, std::memory_order_relaxed);
}

ScanClaim AddressSpaceClock::claim(std::uint64_t now_ns, std::uint32_t period_ms, std::uint32_t delay_ms) noexcept {
    std::uint64_t next = next_scan_ns_.load(std::memory_order_relaxed);
    if (next == 0) {
        const std::uint64_t first = now_ns + delay_ms * ns_per_ms;
        if (next_scan_ns_.compare_exchange_strong(next, first, std::memory_order_relaxed)) next = first;
    }
    if (now_ns < next) return ScanClaim::too_early;
    const bool won =
        next_scan_ns_.compare_exchange_strong(next, now_ns + period_ms * ns_per_ms, std::memory_order_relaxed);
    return won ? ScanClaim::won : ScanClaim::lost;
}

void AddressSpaceClock::postpone(std::uint64_t now_ns, std::uint32_t period_ms) noexcept {
    next_scan_ns_.store(now_ns + period_ms * ns_per_ms, std::memory_order_relaxed);
}

void AddressSpaceClock::restart(std::uint64_t now_ns, std::uint32_t delay_ms) noexcept {
    postpone(now_ns, delay_ms);
    scan_seq_.store(0, std::memory_order_relaxed);
}

ScanClock ScanClock::of_new_thread(const ScanTunables& tunables, const ScanClock& creator, std::uint64_t resident_bytes,
                                   std::uint32_t users, std::uint32_t scan_seq) noexcept {
    ScanClock clock(tunables);
    const std::uint32_t creator_max_ms = scan_periods(tunables, resident_bytes).max_ms;
    clock.stamp_ns_ = stagger_delay_ns(tunables, creator_max_ms, creator.period_ms_, users);
    clock.scan_seq_ = scan_seq;
    return clock;
}

bool ScanClock::tick(const ScanTunables& tunables, std::uint64_t cpu_time_ns, std::uint64_t resident_bytes) noexcept {
    const std::uint64_t period_ns = period_ms_ * ns_per_ms;
    if (cpu_time_ns <= stamp_ns_ + period_ns) return false;
    // A staggered clock never starts at zero, so it keeps the long period until it adapts: so it is in Linux, and most
    // of what staggering saves comes of it.
    if (stamp_ns_ == 0) period_ms_ = scan_periods(tunables, resident_bytes).start_ms;
    stamp_ns_ += period_ns;
    return true;
}

bool ScanClock::adaptation_due(std::uint32_t scan_seq) noexcept {
    if (scan_seq == scan_seq_) return false;
    scan_seq_ = scan_seq;
    return true;
}

Adaptation adapted_period(const ScanTunables& tunables, const ScanPeriods& periods, std::uint32_t period_ms,
                          const WindowFaults& faults) noexcept {
    const std::uint64_t useful = tunables.faithful ? faults.local + faults.shared : faults.local + faults.remote;
    if (useful == 0 || faults.failed != 0) return {std::min(periods.max_ms, 2 * period_ms), true};
    const std::uint32_t slot = (period_ms + slots - 1) / slots;
    const std::uint32_t local = share_in_slots(faults.local, faults.remote);
    const std::uint32_t priv = share_in_slots(faults.priv, faults.shared);
    std::int64_t change = 0;
    if (priv >= threshold) {
        change = std::int64_t{at_least_one(priv - threshold)} * slot;
    } else if (local >= threshold) {
        change = std::int64_t{at_least_one(local - threshold)} * slot;
    } else {
        change = -std::int64_t{threshold - std::max(local, priv)} * slot;
    }
    const auto period = std::clamp<std::int64_t>(period_ms + change, periods.min_ms, periods.max_ms);
    return {static_cast<std::uint32_t>(period), false};
}

void ScanClock::adapt(const ScanTunables& tunables, FaultWindow& faults, std::uint64_t resident_bytes,
                      AddressSpaceClock& space, std::uint64_t now_ns) noexcept {
    WindowFaults considered = faults.read();
    const Adaptation adaptation =
        adapted_period(tunables, scan_periods(tunables, resident_bytes), period_ms_, considered);
    period_ms_ = adaptation.period_ms;
    if (adaptation.nothing_to_gain) {
        space.postpone(now_ns, period_ms_);
        // Linux forgets only who touched the pages; the failures it keeps, and goes on slowing down for.
        if (tunables.faithful) considered.local = considered.remote = considered.failed = 0;
    }
    faults.subtract(considered);
}

void ScanClock::changed_node(const ScanTunables& tunables, std::uint64_t resident_bytes) noexcept {
    period_ms_ = scan_periods(tunables, resident_bytes).start_ms;
}

}  // namespace pinwise
