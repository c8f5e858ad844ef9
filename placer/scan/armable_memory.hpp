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
/// order.
class ArmableMemory {
public:
    /// `found`: room for the result; when it is full, the rest is left out.
    ArmableMemory(std::span<const AddressRange> excluded, std::span<AddressRange> found,
                  std::size_t least_bytes = least_armable_bytes) noexcept
        : excluded_(excluded), found_(found), least_bytes_(least_bytes) {}

    void add_line(std::string_view line) noexcept;
    /// After the last line.
    std::span<const AddressRange> finish() noexcept;

private:
    struct Mapping {
        AddressRange range;
        bool candidate = false;     ///< as far as its line and flags tell
        bool inaccessible = false;  ///< PROT_NONE
    };
    void begin_mapping(const Mapping& mapping) noexcept;
    void settle(const Mapping* next) noexcept;
    void add_without_excluded(AddressRange range) noexcept;
    [[nodiscard]] bool has_known_stack_at(std::uintptr_t address) const noexcept;

    std::span<const AddressRange> excluded_;
    std::span<AddressRange> found_;
    std::size_t least_bytes_;
    std::size_t count_ = 0;
    Mapping current_;
    AddressRange last_inaccessible_;
};

/// All lines of a text that is there as a whole.
std::span<const AddressRange> armable_memory(std::string_view maps, std::span<const AddressRange> excluded,
                                             std::span<AddressRange> found,
                                             std::size_t least_bytes = least_armable_bytes) noexcept;

}  // namespace pinwise
