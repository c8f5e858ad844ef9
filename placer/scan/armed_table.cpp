#include "placer/scan/armed_table.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "placer/relaxed.hpp"
#include "placer/scan/page_size.hpp"

namespace pinwise {

namespace {

// A word: protection, known, armed, may be part of a huge page, holders, time of arming.
constexpr std::uint64_t protection_bits = PROT_READ | PROT_WRITE | PROT_EXEC;
constexpr std::uint64_t known_bit = 1U << 3U;
constexpr std::uint64_t armed_bit = 1U << 4U;
constexpr std::uint64_t huge_bit = 1U << 5U;
constexpr std::uint64_t one_holder = 1U << 16U;
constexpr std::uint64_t holder_bits = 0xffffULL << 16U;
constexpr unsigned time_shift = 32;

constexpr unsigned leaf_shift = 30;   // one table of words covers a GiB
constexpr unsigned space_shift = 47;  // user addresses that a program gets without asking for higher ones
constexpr std::size_t top_entries = std::size_t{1} << (space_shift - leaf_shift);
constexpr unsigned huge_page_shift = 21;

bool is_armed(std::uint64_t word) {
    return (word & armed_bit) != 0;
}
/// As far as its word tells.
bool is_armable(std::uint64_t word) {
    return (word & known_bit) != 0 && (word & (PROT_READ | PROT_EXEC)) == PROT_READ;
}
int protection(std::uint64_t word) {
    return static_cast<int>(word & protection_bits);
}

// Past our own mmap and mprotect, which the program's calls go to.
void* map_zeroed(std::size_t bytes) noexcept {
    const int saved = errno;
    const long address =
        syscall(SYS_mmap, 0L, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    errno = saved;
    return address == -1 ? nullptr : reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

bool protect(AddressRange range, int protection) noexcept {
    const int saved = errno;
    const bool done = syscall(SYS_mprotect, range.begin, range.bytes(), protection) == 0;
    errno = saved;
    return done;
}

}  // namespace

ArmedTable::ArmedTable(std::size_t granule_bytes, bool huge_by_default) noexcept
    : shift_(static_cast<unsigned>(std::countr_zero(granule_bytes))),
      huge_by_default_(huge_by_default ? huge_bit : 0),
      top_(static_cast<std::atomic<Word*>*>(map_zeroed(top_entries * sizeof(std::atomic<Word*>)))) {}

ArmedTable::~ArmedTable() {
    if (!usable()) return;
    stop();
    for (std::size_t i = 0; i < leaf_count_; ++i)
        syscall(SYS_munmap, top_[leaves_[i]].load(relaxed), (std::size_t{1} << (leaf_shift - shift_)) * sizeof(Word));
    syscall(SYS_munmap, top_, top_entries * sizeof(std::atomic<Word*>));
}

ArmedTable::Word* ArmedTable::word(Granule granule) const noexcept {
    const std::uint64_t leaf = granule >> (leaf_shift - shift_);
    if (top_ == nullptr || leaf >= top_entries) return nullptr;
    Word* words = top_[leaf].load(std::memory_order_acquire);
    return words == nullptr ? nullptr : words + (granule & ((Granule{1} << (leaf_shift - shift_)) - 1));
}

/// Null: no memory, or beyond the addresses there are.
ArmedTable::Word* ArmedTable::word_made(Granule granule) noexcept {
    if (Word* there = word(granule); there != nullptr) return there;
    const std::uint64_t leaf = granule >> (leaf_shift - shift_);
    if (top_ == nullptr || leaf >= top_entries || leaf_count_ == most_leaves) return nullptr;
    void* words = map_zeroed((std::size_t{1} << (leaf_shift - shift_)) * sizeof(Word));
    if (words == nullptr) return nullptr;
    const auto end = leaves_.begin() + static_cast<std::ptrdiff_t>(leaf_count_);
    const auto place = std::lower_bound(leaves_.begin(), end, static_cast<std::uint32_t>(leaf));
    std::copy_backward(place, end, end + 1);
    *place = static_cast<std::uint32_t>(leaf);
    ++leaf_count_;
    top_[leaf].store(static_cast<Word*>(words), std::memory_order_release);
    return word(granule);
}

ArmedTable::Span ArmedTable::touched_by(AddressRange range) const noexcept {
    if (range.empty()) return {};
    return {range.begin >> shift_, ((range.end - 1) >> shift_) + 1};
}

ArmedTable::Span ArmedTable::whole_in(AddressRange range) const noexcept {
    const Span span{(range.begin + granule_bytes() - 1) >> shift_, range.end >> shift_};
    return range.empty() || span.last < span.first ? Span{} : span;
}

AddressRange ArmedTable::addresses(Span span) const noexcept {
    return {span.first << shift_, span.last << shift_};
}

/// Calls visit_word(word, granule) for those of the span that have a word; whole GiBs without one cost nothing.
template <class Visit>
void ArmedTable::visit(Span span, Visit visit_word) const noexcept {
    const Granule in_leaf = Granule{1} << (leaf_shift - shift_);
    for (Granule granule = span.first; granule < span.last;) {
        Word* found = word(granule);
        if (found == nullptr) {
            granule = (granule / in_leaf + 1) * in_leaf;
            if (granule / in_leaf >= top_entries) return;
            continue;
        }
        visit_word(*found, granule);
        ++granule;
    }
}

void ArmedTable::track(AddressRange range, int with_protection) noexcept {
    if (stopped_.load(relaxed)) return;
    const MapLock lock(mutex_);
    const Span span = whole_in(range);
    for (Granule granule = span.first; granule < span.last; ++granule) {
        Word* found = word_made(granule);
        if (found == nullptr) return;
        found->store(known_bit | huge_by_default_ | (static_cast<std::uint64_t>(with_protection) & protection_bits),
                     relaxed);
    }
    ranges_are_old_ = true;
}

void ArmedTable::advise_huge(AddressRange range, bool huge) noexcept {
    const Span span = whole_in(range);
    if (!knows_any(span)) return;
    const MapLock lock(mutex_);
    visit(span, [huge](Word& found, Granule) {
        if ((found.load(relaxed) & known_bit) == 0) return;
        if (huge)
            found.fetch_or(huge_bit, relaxed);
        else
            found.fetch_and(~huge_bit, relaxed);
    });
}

bool ArmedTable::knows_any(Span span) const noexcept {
    if (stopped_.load(relaxed)) return false;  // nothing is armed, nor will be
    bool any = false;
    visit(span, [&](const Word& found, Granule) { any = any || found.load(relaxed) != 0; });
    return any;
}

bool ArmedTable::tracks_any(AddressRange range) const noexcept {
    return knows_any(touched_by(range));
}

void ArmedTable::forget(AddressRange range) noexcept {
    const Span span = touched_by(range);
    if (!knows_any(span)) return;
    const MapLock lock(mutex_);
    open_span(span);
    visit(span, [&](Word& found, Granule) {
        // Still armed: it could not be opened, as happens when it was unmapped behind our back.
        if (is_armed(found.exchange(0, relaxed))) armed_.fetch_sub(1, relaxed);
    });
    ranges_are_old_ = true;
    epoch_.fetch_add(1, std::memory_order_release);
}

void ArmedTable::protection_changes(AddressRange range) noexcept {
    const Span span = touched_by(range);
    if (!knows_any(span)) return;
    const MapLock lock(mutex_);
    open_span(span);
    visit(span, [](Word& found, Granule) { found.fetch_and(~protection_bits, relaxed); });
    ranges_are_old_ = true;
}

void ArmedTable::protection_changed(AddressRange range, int to_protection) noexcept {
    const Span span = whole_in(range);
    if (!knows_any(span)) return;
    const MapLock lock(mutex_);
    visit(span, [&](Word& found, Granule) {
        const std::uint64_t old = found.load(relaxed);
        if ((old & known_bit) == 0) return;
        found.store((old & ~protection_bits) | (static_cast<std::uint64_t>(to_protection) & protection_bits), relaxed);
    });
    ranges_are_old_ = true;
}

int ArmedTable::protection_of(AddressRange range) const noexcept {
    const Span span = whole_in(range);
    int common = -1;
    for (Granule granule = span.first; granule < span.last; ++granule) {
        const Word* found = word(granule);
        const std::uint64_t value = found == nullptr ? 0 : found->load(relaxed);
        if ((value & known_bit) == 0) return -1;
        if (common >= 0 && common != protection(value)) return -1;
        common = protection(value);
    }
    return common;
}

bool ArmedTable::hold(AddressRange range) noexcept {
    const Span span = touched_by(range);
    if (!knows_any(span)) return false;
    const MapLock lock(mutex_);
    open_span(span);
    visit(span, [](Word& found, Granule) {
        const std::uint64_t value = found.load(relaxed);
        if ((value & known_bit) != 0 && (value & holder_bits) != holder_bits) found.fetch_add(one_holder, relaxed);
    });
    return true;
}

void ArmedTable::release(AddressRange range) noexcept {
    const MapLock lock(mutex_);
    visit(touched_by(range), [](Word& found, Granule) {
        // The memory may have been unmapped meanwhile, and mapped anew.
        if ((found.load(relaxed) & holder_bits) != 0) found.fetch_sub(one_holder, relaxed);
    });
}

bool ArmedTable::knows(Granule granule) const noexcept {
    const Word* found = word(granule);
    return found != nullptr && found->load(relaxed) != 0;
}

AddressRange ArmedTable::tracked_from(std::uintptr_t start) const noexcept {
    Granule end = start >> shift_;
    while (knows(end))
        ++end;
    return {start, std::max(start, end << shift_)};
}

AddressRange ArmedTable::tracked_around(std::uintptr_t address) const noexcept {
    Granule first = address >> shift_;
    if (!knows(first)) return {};
    while (first > 0 && knows(first - 1))
        --first;
    return {first << shift_, tracked_from(address).end};
}

void ArmedTable::pause() noexcept {
    const MapLock lock(mutex_);
    ++pauses_;
    open_everything();
}

void ArmedTable::resume() noexcept {
    const MapLock lock(mutex_);
    --pauses_;
}

void ArmedTable::open_all() noexcept {
    const MapLock lock(mutex_);
    open_everything();
}

void ArmedTable::stop() noexcept {
    const MapLock lock(mutex_);
    stopped_.store(true, relaxed);
    open_everything();
}

/// What is opened at once: the granule, or the huge page it may be part of.
ArmedTable::Span ArmedTable::unit_of(Granule granule) const noexcept {
    const Span alone{granule, granule + 1};
    const auto kind = [this](Granule other) {
        const Word* found = word(other);
        return found == nullptr ? 0 : found->load(relaxed) & (protection_bits | armed_bit | huge_bit);
    };
    const std::uint64_t wanted = kind(granule);
    if ((wanted & huge_bit) == 0) return alone;
    const Granule in_huge = Granule{1} << (huge_page_shift - shift_);
    const Span whole{granule / in_huge * in_huge, (granule / in_huge + 1) * in_huge};
    for (Granule other = whole.first; other < whole.last; ++other)
        if (kind(other) != wanted) return alone;
    return whole;
}

/// The armed granules around this one that one mprotect can open: with the same protection.
ArmedTable::Span ArmedTable::armed_run_around(Granule granule) const noexcept {
    const std::uint64_t kind = word(granule)->load(relaxed) & (protection_bits | armed_bit);
    const auto belongs = [&](Granule other) {
        const Word* found = word(other);
        return found != nullptr && (found->load(relaxed) & (protection_bits | armed_bit)) == kind;
    };
    Span run{granule, granule + 1};
    while (run.first > 0 && belongs(run.first - 1))
        --run.first;
    while (belongs(run.last))
        ++run.last;
    return run;
}

bool ArmedTable::protect_open(Span run) noexcept {
    if (!protect(addresses(run), protection(word(run.first)->load(relaxed)))) return false;
    visit(run, [&](Word& found, Granule) {
        if (is_armed(found.fetch_and(~armed_bit, relaxed))) armed_.fetch_sub(1, relaxed);
    });
    epoch_.fetch_add(1, std::memory_order_release);
    return true;
}

/// A run of armed granules with one protection. Opening a part of a mapping splits it, which the kernel refuses when
/// there are too many: then all that was armed together is opened, which joins mappings; then everything.
void ArmedTable::open_run(Span run) noexcept {
    if (protect_open(run)) return;
    refused_.fetch_add(1, relaxed);
    if (protect_open(armed_run_around(run.first))) return;
    open_everything();
}

void ArmedTable::open_span(Span span) noexcept {
    if (armed_.load(relaxed) == 0 || span.first == span.last) return;
    span = {unit_of(span.first).first, unit_of(span.last - 1).last};
    Span run{};
    int run_protection = 0;
    const auto finish = [&] {
        if (run.last > run.first && is_armed(word(run.first)->load(relaxed))) open_run(run);
        run = {};
    };
    visit(span, [&](Word& found, Granule granule) {
        const std::uint64_t value = found.load(relaxed);
        const bool continues = granule == run.last && protection(value) == run_protection;
        if (!is_armed(value) || !continues) finish();
        if (!is_armed(value)) return;
        if (run.last == 0) run.first = granule;
        run_protection = protection(value);
        run.last = granule + 1;
    });
    finish();
}

void ArmedTable::open_everything() noexcept {
    const Granule in_leaf = Granule{1} << (leaf_shift - shift_);
    // Twice: what the kernel refuses at first it allows when the rest has been joined.
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < leaf_count_ && armed_.load(relaxed) > 0; ++i) {
            const Granule begin = leaves_[i] * in_leaf;
            for (Granule granule = begin; granule < begin + in_leaf;) {
                if (!is_armed(word(granule)->load(relaxed))) {
                    ++granule;
                    continue;
                }
                const Span run = armed_run_around(granule);
                static_cast<void>(protect_open(run));  // refused: in the second round
                granule = run.last;
            }
        }
    }
}

void ArmedTable::find_ranges() noexcept {
    const Granule in_leaf = Granule{1} << (leaf_shift - shift_);
    range_count_ = 0;
    ranges_are_old_ = false;
    for (std::size_t i = 0; i < leaf_count_; ++i) {
        const Granule begin = leaves_[i] * in_leaf;
        for (Granule granule = begin; granule < begin + in_leaf; ++granule) {
            if (!is_armable(word(granule)->load(relaxed))) continue;
            const AddressRange one = addresses({granule, granule + 1});
            if (range_count_ > 0 && ranges_[range_count_ - 1].end == one.begin) {
                ranges_[range_count_ - 1].end = one.end;
            } else if (range_count_ < most_ranges) {
                ranges_[range_count_++] = one;
            } else {
                return;
            }
        }
    }
}

std::uint64_t ArmedTable::tracked_bytes() const noexcept {
    const MapLock lock(mutex_);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < range_count_; ++i)
        bytes += ranges_[i].bytes();
    return bytes;
}

ArmedPiece ArmedTable::arm_next(std::size_t most_bytes, std::uint32_t now_ms, std::optional<int> left_alone) noexcept {
    const MapLock lock(mutex_);
    ArmedPiece piece;
    piece.paused = stopped_.load(relaxed) || pauses_ > 0;
    if (piece.paused) return piece;
    if (ranges_are_old_) find_ranges();
    piece.range = cursor_.next({ranges_.data(), range_count_}, most_bytes, granule_bytes());
    if (!piece.range.empty()) arm_piece(piece, now_ms, left_alone);
    return piece;
}

void ArmedTable::arm_piece(ArmedPiece& piece, std::uint32_t now_ms, std::optional<int> left_alone) noexcept {
    Span run{};
    std::uint64_t run_pages = 0;
    int run_protection = 0;
    const auto finish = [&] {
        if (run.last > run.first && arm_run(run, piece, now_ms)) piece.pages += run_pages;
        run = {};
        run_pages = 0;
    };
    visit(whole_in(piece.range), [&](Word& found, Granule granule) {
        const std::uint64_t value = found.load(relaxed);
        std::uint64_t pages = 0;
        if (is_armable(value) && !is_armed(value) && (value & holder_bits) == 0)
            pages = pages_.present(addresses({granule, granule + 1}));
        if (pages > 0 && left_alone && pages_.are_all_on(*left_alone, addresses({granule, granule + 1}))) pages = 0;
        if (armed_.load(relaxed) + (run.last - run.first) >= most_armed_granules) {
            piece.all_are_armed = true;
            pages = 0;
        }
        if (pages == 0 || granule != run.last || protection(value) != run_protection) finish();
        if (pages == 0 || piece.refused) return;
        if (run.last == 0) run.first = granule;
        run.last = granule + 1;
        run_protection = protection(value);
        run_pages += pages;
    });
    finish();
}

/// Whoever faults meanwhile waits for the lock.
bool ArmedTable::arm_run(Span run, ArmedPiece& piece, std::uint32_t now_ms) noexcept {
    if (!protect(addresses(run), PROT_NONE)) {
        // It may be done in part.
        const int before = protection(word(run.first)->load(relaxed));
        for (Granule granule = run.first; granule < run.last; ++granule)
            static_cast<void>(protect(addresses({granule, granule + 1}), before));
        piece.refused = true;
        return false;
    }
    visit(run, [&](Word& found, Granule) {
        const std::uint64_t value = found.load(relaxed) & (protection_bits | known_bit | huge_bit);
        found.store(value | armed_bit | std::uint64_t{now_ms} << time_shift, relaxed);
    });
    armed_.fetch_add(run.last - run.first, relaxed);
    piece.granules += run.last - run.first;
    return true;
}

Opening ArmedTable::open(std::uintptr_t address) noexcept {
    const Granule granule = address >> shift_;
    if (word(granule) == nullptr) return {};
    const MapLock lock(mutex_);
    const std::uint64_t value = word(granule)->load(relaxed);
    if (!is_armed(value)) return {};
    const Span unit = unit_of(granule);
    open_run(unit);
    // The kernel opens nothing any more (a filter of system calls): better the program's death than a fault for ever.
    if (is_armed(word(granule)->load(relaxed))) return {};
    return {.was_armed = true, .granule = addresses(unit), .armed_ms = static_cast<std::uint32_t>(value >> time_shift)};
}

void ArmedTable::before_fork() noexcept {
    const std::uint64_t signals = block_all_signals();
    mutex_.lock();
    saved_signals_ = signals;
    open_everything();
}

void ArmedTable::after_fork_in_parent() noexcept {
    const std::uint64_t signals = saved_signals_;
    mutex_.unlock();
    restore_signals(signals);
}

void ArmedTable::after_fork_in_child() noexcept {
    const std::uint64_t signals = saved_signals_;
    mutex_.reset();
    pauses_ = 0;  // those who paused are not here
    restore_signals(signals);
}

}  // namespace pinwise
