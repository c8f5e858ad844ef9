#pragma once
/// Which mappings of a process may be armed: large, private, anonymous, readable and writable, and nobody's stack.
///
/// Pure: works on the text of /proc/self/maps or, better, /proc/self/smaps (whose VmFlags tell locked, I/O and other
/// special memory), handed in piece by piece. Allocates nothing.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "placer/scan/address_range.hpp"

namespace pinwise {

/// Smaller mappings are not worth a fault.
inline constexpr std::size_t least_armable_bytes = 4U << 20;

/// Left out, always: shared and file mappings; whatever has a name ([heap], [stack], [anon:...]); memory not both
/// readable and writable, or executable; with smaps also MAP_GROWSDOWN, locked, I/O, PFN-mapped, huge-page (hugetlb),
/// DONTFORK (what RDMA libraries register), userfaultfd and mixed mappings; and a mapping right above an inaccessible
/// one (a guard: a thread's stack) or right below one at a multiple of 64 MiB (a heap of malloc), unless `excluded` has
/// its stack.
///
/// glibc's thread stacks, which hold TLS, may be merged by the kernel with an array mapped above them: the caller names
/// every stack it knows in `excluded` (any order), and the rest of such a mapping may be armed.
///
/// The lines come one at a time, without their newlines, to add_line(); the ranges found lie in `found` in ascending
/// order, neighbours joined.
class ArmableMemory {
public:
    struct Known {
        std::span<const AddressRange> excluded;  ///< never to be armed, in any order: stacks, our own memory
        std::span<const AddressRange> armed;     ///< inaccessible only because it is armed now; in any order
    };

    /// `found`: room for the result; when it is full, the rest is left out.
    ArmableMemory(const Known& known, std::span<AddressRange> found,
                  std::size_t least_bytes = least_armable_bytes) noexcept
        : known_(known), found_(found), least_bytes_(least_bytes) {}

    void add_line(std::string_view line) noexcept;
    /// After the last line.
    std::span<const AddressRange> finish() noexcept;

private:
    struct Mapping {
        AddressRange range;
        bool candidate = false;     ///< as far as its line and flags tell
        bool inaccessible = false;  ///< PROT_NONE, and not because of us
    };
    [[nodiscard]] Mapping classify(AddressRange range, std::string_view rest_of_line) const noexcept;
    void settle_current() noexcept;
    void flush_run(bool inaccessible_follows) noexcept;
    void add_without_excluded(AddressRange range) noexcept;
    [[nodiscard]] bool has_known_stack_at(std::uintptr_t address) const noexcept;
    [[nodiscard]] bool is_armed(AddressRange range) const noexcept;

    Known known_;
    std::span<AddressRange> found_;
    std::size_t least_bytes_;
    std::size_t count_ = 0;
    Mapping current_;
    AddressRange run_;                     ///< candidates without a gap
    bool guard_below_run_ = false;         ///< what lies right below it is inaccessible
    std::uintptr_t inaccessible_end_ = 0;  ///< of the last inaccessible mapping
};

/// All lines of a text that is there as a whole.
std::span<const AddressRange> armable_memory(std::string_view maps, const ArmableMemory::Known& known,
                                             std::span<AddressRange> found,
                                             std::size_t least_bytes = least_armable_bytes) noexcept;

}  // namespace pinwise
