#include "placer/scan/scan_settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "placer/nearest_name.hpp"
#include "placer/quoted.hpp"

namespace pinwise {

namespace {

struct ModeName {
    std::string_view name;
    ScanMode mode;
};

constexpr std::array modes{
    ModeName{"off", ScanMode::off},
    ModeName{"unstaggered", ScanMode::unstaggered},
    ModeName{"staggered", ScanMode::staggered},
};

}  // namespace

Result<ScanMode> parse_scan_mode(std::string_view text) {
    const auto* const found = std::ranges::find(modes, text, &ModeName::name);
    if (found != modes.end()) return found->mode;
    std::array<std::string_view, modes.size()> names{};
    std::ranges::transform(modes, names.begin(), &ModeName::name);
    const auto meant = similar_name(text, names);
    return usage_error(fmt::format("unknown scan mode {}{}; there are off, unstaggered and staggered", in_quotes(text),
                                   meant ? fmt::format(" (did you mean {}?)", *meant) : ""));
}

std::string_view to_string(ScanMode mode) {
    return std::ranges::find(modes, mode, &ModeName::mode)->name;
}

Result<void> check_scan_settings(const ScanSettings& settings) {
    constexpr std::uint64_t least = 64ULL << 10;
    constexpr std::uint64_t most = 2ULL << 20;
    if (!std::has_single_bit(settings.granule_bytes) || settings.granule_bytes < least || settings.granule_bytes > most)
        return usage_error(
            fmt::format("a scan granule of {} bytes is not a power of two from {} (64 KiB) to {} (2 MiB)",
                        settings.granule_bytes, least, most));
    if (!std::isfinite(settings.horizon_s) || settings.horizon_s <= 0)
        return usage_error(
            fmt::format("a scan horizon of {} s is not a positive number of seconds", settings.horizon_s));
    if (settings.delay_ms == 0 || settings.period_min_ms == 0)
        return usage_error("scan delay and scan periods must be at least 1 ms");
    if (settings.period_min_ms > settings.period_max_ms)
        return usage_error(fmt::format("the shortest scan period of {} ms is longer than the longest, {} ms",
                                       settings.period_min_ms, settings.period_max_ms));
    if (settings.window_bytes < settings.granule_bytes)
        return usage_error(fmt::format("a scan window of {} bytes is smaller than a granule of {} bytes",
                                       settings.window_bytes, settings.granule_bytes));
    return {};
}

ScanTunables tunables_of(const ScanSettings& settings) {
    ScanTunables tunables;
    tunables.window_bytes = settings.window_bytes;
    tunables.delay_ms = settings.delay_ms;
    tunables.period_min_ms = settings.period_min_ms;
    tunables.period_max_ms = settings.period_max_ms;
    tunables.faithful = settings.faithful != 0;
    if (settings.mode != ScanMode::staggered) {
        tunables.stagger = Stagger::unstaggered;
    } else {
        tunables.stagger = tunables.faithful ? Stagger::as_coded : Stagger::as_intended;
    }
    return tunables;
}

}  // namespace pinwise
