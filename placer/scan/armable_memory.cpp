#include "placer/scan/armable_memory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace pinwise {

namespace {

/// glibc maps the heaps of its arenas at multiples of this (HEAP_MAX_SIZE).
constexpr std::uintptr_t malloc_heap_bytes = 64U << 20;

std::optional<std::uintptr_t> take_hexadecimal(std::string_view& text) {
    std::uintptr_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// "7f00-7f01" of the head of a mapping; nothing for the other lines of smaps.
std::optional<AddressRange> take_range(std::string_view& line) {
    std::string_view rest = line;
    const auto begin = take_hexadecimal(rest);
    if (!begin || !rest.starts_with('-')) return std::nullopt;
    rest.remove_prefix(1);
    const auto end = take_hexadecimal(rest);
    if (!end || *end < *begin) return std::nullopt;
    line = rest;
    return AddressRange{*begin, *end};
}

std::string_view take_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    return word;
}

/// VmFlags of mappings that are special in some way: growing, locked, I/O, PFN-mapped, of huge pages (hugetlb), not inherited
/// over fork (registered with a device), under userfaultfd, mixed, shared, sealed.
bool forbids_arming(std::string_view flag) {
    static constexpr std::array special{"gd", "lo", "io", "pf", "ht", "dc", "um", "uw", "ui", "mm", "sh", "sl"};
    return std::ranges::find(special, flag) != special.end();
}

}  // namespace

void ArmableMemory::add_line(std::string_view line) noexcept {
    if (const auto range = take_range(line)) {
        settle_current();
        current_ = classify(*range, line);
        return;
    }
    constexpr std::string_view flags = "VmFlags:";
    if (!line.starts_with(flags)) return;
    line.remove_prefix(flags.size());
    for (std::string_view flag = take_word(line); !flag.empty(); flag = take_word(line))
        if (forbids_arming(flag)) current_.candidate = false;
}

std::span<const AddressRange> ArmableMemory::finish() noexcept {
    settle_current();
    current_ = {};
    flush_run(false);
    return found_.first(count_);
}

/// "rw-p 00000000 00:00 0   [heap]" behind the range.
ArmableMemory::Mapping ArmableMemory::classify(AddressRange range, std::string_view rest_of_line) const noexcept {
    const std::string_view permissions = take_word(rest_of_line);
    take_word(rest_of_line);  // offset
    const std::string_view device = take_word(rest_of_line);
    const std::string_view inode = take_word(rest_of_line);
    const bool anonymous = device == "00:00" && inode == "0" && take_word(rest_of_line).empty();
    const bool armed = permissions == "---p" && is_armed(range);
    return {.range = range,
            .candidate = anonymous && (permissions == "rw-p" || armed),
            .inaccessible = permissions.starts_with("---") && !armed};
}

void ArmableMemory::settle_current() noexcept {
    if (current_.candidate && run_.end == current_.range.begin && !run_.empty()) {
        run_.end = current_.range.end;
        return;
    }
    flush_run(current_.inaccessible && current_.range.begin == run_.end);
    if (current_.candidate) {
        run_ = current_.range;
        guard_below_run_ = inaccessible_end_ == run_.begin;
    }
    if (current_.inaccessible) inaccessible_end_ = current_.range.end;
}

void ArmableMemory::flush_run(bool inaccessible_follows) noexcept {
    const AddressRange run = run_;
    run_ = {};
    if (run.empty()) return;
    if (guard_below_run_ && !has_known_stack_at(run.begin)) return;
    if (inaccessible_follows && run.begin % malloc_heap_bytes == 0) return;
    add_without_excluded(run);
}

void ArmableMemory::add_without_excluded(AddressRange range) noexcept {
    while (!range.empty()) {
        AddressRange hole{range.end, range.end};
        for (const AddressRange& each : known_.excluded)
            if (each.begin < hole.begin && each.end > range.begin && !each.empty()) hole = each;
        const AddressRange piece{range.begin, std::max(hole.begin, range.begin)};
        if (piece.bytes() >= least_bytes_ && count_ < found_.size()) found_[count_++] = piece;
        range.begin = std::max(hole.end, range.begin);
    }
}

bool ArmableMemory::has_known_stack_at(std::uintptr_t address) const noexcept {
    return std::ranges::any_of(known_.excluded, [address](const AddressRange& each) { return each.contains(address); });
}

/// The whole of it, in whatever pieces.
bool ArmableMemory::is_armed(AddressRange range) const noexcept {
    while (!range.empty()) {
        const auto piece = std::ranges::find_if(
            known_.armed, [&range](const AddressRange& each) { return each.contains(range.begin); });
        if (piece == known_.armed.end()) return false;
        range.begin = piece->end;
    }
    return true;
}

std::span<const AddressRange> armable_memory(std::string_view maps, const ArmableMemory::Known& known,
                                             std::span<AddressRange> found, std::size_t least_bytes) noexcept {
    ArmableMemory memory(known, found, least_bytes);
    while (!maps.empty()) {
        const std::string_view line = maps.substr(0, maps.find('\n'));
        memory.add_line(line);
        maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    }
    return memory.finish();
}

}  // namespace pinwise
