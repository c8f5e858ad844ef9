#pragma once
/// The program's large memory, granule by granule: how the program has it protected, and which of it is armed
/// (PROT_NONE, so that the next touch is a hint fault).
///
/// Only memory that was told (track()) is ever armed, and whoever changes the address space tells first (forget()), so
/// an armed granule is always the memory it was when it was armed. Every method but the constructor is safe in a signal
/// handler: lookups take no lock; changes take one, with all signals blocked; nothing allocates.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "placer/scan/address_range.hpp"
#include "placer/scan/granule_pages.hpp"
#include "placer/scan/map_lock.hpp"
#include "placer/scan/scan_cursor.hpp"

namespace pinwise {

/// Granules armed at once. Each may cost two mappings of the 65530 (vm.max_map_count) that a process may have.
inline constexpr std::size_t most_armed_granules = 4096;

/// What arming one piece of memory did.
struct ArmedPiece {
    AddressRange range;          ///< looked at; empty at the end of a pass
    std::uint64_t granules = 0;  ///< armed now
    std::uint64_t pages = 0;     ///< present base pages in them
    bool paused = false;         ///< nothing was looked at
    bool refused = false;        ///< mprotect failed: too many mappings
    bool all_are_armed = false;  ///< as many as may be at once
};

/// What was at an address that faulted.
struct Opening {
    bool was_armed = false;      ///< now it is open
    AddressRange granule;        ///< all that was opened: a granule, or a huge page
    std::uint32_t armed_ms = 0;  ///< when, on the clock of arm_next()
};

class ArmedTable {
public:
    /// `granule_bytes`: a power of two, at least the page size and at most 2 MiB. `huge_by_default`: the kernel backs
    /// all memory with huge pages where it can.
    explicit ArmedTable(std::size_t granule_bytes, bool huge_by_default = false) noexcept;
    ~ArmedTable();
    ArmedTable(const ArmedTable&) = delete;
    ArmedTable& operator=(const ArmedTable&) = delete;
    ArmedTable(ArmedTable&&) = delete;
    ArmedTable& operator=(ArmedTable&&) = delete;

    /// False: no memory for the table (a limit on address space); nothing will ever be armed.
    [[nodiscard]] bool usable() const noexcept { return top_ != nullptr; }
    [[nodiscard]] std::size_t granule_bytes() const noexcept { return std::size_t{1} << shift_; }

    /// Private anonymous memory with this protection, from now on. Granules that lie in it as a whole may be armed
    /// while it is readable, and not executable.
    void track(AddressRange range, int protection) noexcept;
    /// Told memory is, or is not, to be backed with huge pages (madvise). One that may be is opened as a whole, as long
    /// as it is armed as a whole: opening a part would split it for good.
    void advise_huge(AddressRange range, bool huge) noexcept;
    /// Opens what is armed and never arms it again, unless it is told anew.
    void forget(AddressRange range) noexcept;
    /// Before and after the program changes the protection: opened and not armed in between. Granules that are in the
    /// range in part only are not armed any more.
    void protection_changes(AddressRange range) noexcept;
    void protection_changed(AddressRange range, int protection) noexcept;
    /// Of memory told as a whole; -1: parts are not, or differ.
    [[nodiscard]] int protection_of(AddressRange range) const noexcept;

    /// Open, and not armed until release(): the kernel is going to read or write it, and would fail with EFAULT. False:
    /// it has nothing to do with us, and need not be released.
    bool hold(AddressRange range) noexcept;
    void release(AddressRange range) noexcept;
    /// From `start` as far as tracked memory reaches; empty where there is none.
    [[nodiscard]] AddressRange tracked_from(std::uintptr_t start) const noexcept;
    /// The same in both directions.
    [[nodiscard]] AddressRange tracked_around(std::uintptr_t address) const noexcept;

    /// Everything open, and nothing armed until resume(). May be nested.
    void pause() noexcept;
    void resume() noexcept;
    /// Everything open now.
    void open_all() noexcept;
    /// For good.
    void stop() noexcept;

    /// Arms the next piece, at most `most_bytes` long; only granules with present pages, not held, and not of a pause.
    /// Granules with no page on another node than `left_alone` are not armed, either.
    ArmedPiece arm_next(std::size_t most_bytes, std::uint32_t now_ms, std::optional<int> left_alone = {}) noexcept;
    /// In the handler.
    Opening open(std::uintptr_t address) noexcept;

    /// Changes whenever armed memory is opened: a fault at memory that is not armed (any more) is the program's own
    /// when it comes twice without a change.
    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_acquire); }
    [[nodiscard]] std::size_t armed_granules() const noexcept { return armed_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool tracks_any(AddressRange range) const noexcept;
    [[nodiscard]] std::uint64_t tracked_bytes() const noexcept;
    /// Times that memory could not be opened alone, and more of it or all was.
    [[nodiscard]] std::uint64_t openings_refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

    /// Around fork, so that the child's copy is not half-changed. Everything is opened before: the parts of a mapping
    /// that is split at a fork can never be joined again in the child, and its mremap() would fail.
    void before_fork() noexcept;
    void after_fork_in_parent() noexcept;
    void after_fork_in_child() noexcept;

private:
    using Word = std::atomic<std::uint64_t>;
    using Granule = std::uint64_t;  ///< address divided by granule size

    struct Span {
        Granule first = 0;
        Granule last = 0;  ///< not included
    };

    [[nodiscard]] Word* word(Granule granule) const noexcept;
    Word* word_made(Granule granule) noexcept;
    [[nodiscard]] Span touched_by(AddressRange range) const noexcept;
    [[nodiscard]] Span whole_in(AddressRange range) const noexcept;
    [[nodiscard]] AddressRange addresses(Span span) const noexcept;
    [[nodiscard]] Span unit_of(Granule granule) const noexcept;
    [[nodiscard]] Span armed_run_around(Granule granule) const noexcept;
    template <class Visit>
    void visit(Span span, Visit visit_word) const noexcept;
    [[nodiscard]] bool knows(Granule granule) const noexcept;
    [[nodiscard]] bool knows_any(Span span) const noexcept;

    void open_span(Span span) noexcept;
    void open_run(Span run) noexcept;
    bool protect_open(Span run) noexcept;
    void open_everything() noexcept;
    void find_ranges() noexcept;
    void arm_piece(ArmedPiece& piece, std::uint32_t now_ms, std::optional<int> left_alone) noexcept;
    bool arm_run(Span run, ArmedPiece& piece, std::uint32_t now_ms) noexcept;

    unsigned shift_;
    std::uint64_t huge_by_default_;      ///< bit of a word
    std::atomic<Word*>* top_ = nullptr;  ///< one table of words per GiB of address space
    mutable MapMutex mutex_;
    std::atomic<std::uint64_t> epoch_{1};
    std::atomic<std::size_t> armed_{0};
    std::atomic<std::uint64_t> refused_{0};
    std::uint32_t pauses_ = 0;
    std::atomic<bool> stopped_{false};

    static constexpr std::size_t most_leaves = 8192;
    std::array<std::uint32_t, most_leaves> leaves_{};  ///< GiBs that have a table, ascending
    std::size_t leaf_count_ = 0;

    static constexpr std::size_t most_ranges = 2048;
    std::array<AddressRange, most_ranges> ranges_{};  ///< what may be armed; found anew when it changed
    std::size_t range_count_ = 0;
    bool ranges_are_old_ = false;
    ScanCursor cursor_;
    GranulePages pages_;
    std::uint64_t saved_signals_ = 0;  ///< of the thread that forks
};

}  // namespace pinwise
