#include "runner/record/memory_modules.hpp"

#include <array>
#include <cstddef>

namespace pinwise {
namespace {

constexpr std::uint8_t memory_device = 17;
constexpr std::size_t header_bytes = 4;
constexpr std::uint16_t unknown_word = 0xffff;

/// One structure: its formatted area.
class Structure {
public:
    explicit Structure(std::string_view bytes) : bytes_(bytes) {}

    [[nodiscard]] std::uint8_t byte(std::size_t at) const {
        return at < bytes_.size() ? static_cast<std::uint8_t>(bytes_[at]) : std::uint8_t{0};
    }
    [[nodiscard]] std::uint16_t word(std::size_t at) const {
        return static_cast<std::uint16_t>(byte(at) | byte(at + 1) << 8);
    }
    [[nodiscard]] std::uint32_t double_word(std::size_t at) const {
        return word(at) | static_cast<std::uint32_t>(word(at + 2)) << 16;
    }

private:
    std::string_view bytes_;
};

std::string type_name(std::uint8_t type) {
    struct Name {
        std::uint8_t type;
        const char* name;
    };
    constexpr std::array<Name, 9> names{{{0x18, "DDR3"},
                                         {0x1a, "DDR4"},
                                         {0x1d, "LPDDR3"},
                                         {0x1e, "LPDDR4"},
                                         {0x20, "HBM"},
                                         {0x21, "HBM2"},
                                         {0x22, "DDR5"},
                                         {0x23, "LPDDR5"},
                                         {0x24, "HBM3"}}};
    for (const Name& each : names)
        if (each.type == type) return each.name;
    return {};
}

std::uint64_t size_of(const Structure& device) {
    constexpr std::uint16_t in_extended_size = 0x7fff;
    constexpr std::uint16_t in_kilobytes = 0x8000;
    const std::uint16_t size = device.word(0x0c);
    if (size == unknown_word) return 0;
    if (size == in_extended_size) return static_cast<std::uint64_t>(device.double_word(0x1c) & 0x7fffffffU) << 20;
    if ((size & in_kilobytes) != 0) return static_cast<std::uint64_t>(size & 0x7fffU) << 10;
    return static_cast<std::uint64_t>(size) << 20;
}

MemoryModule module_of(const Structure& device) {
    MemoryModule module;
    module.size_bytes = size_of(device);
    module.data_width_bits = device.word(0x0a) == unknown_word ? 0 : device.word(0x0a);
    const auto speed = [&](std::size_t at) { return device.word(at) == unknown_word ? 0 : int{device.word(at)}; };
    module.mt_per_s = speed(0x20) != 0 ? speed(0x20) : speed(0x15);
    module.type = type_name(device.byte(0x12));
    return module;
}

}  // namespace

std::vector<MemoryModule> parse_memory_modules(std::string_view table) {
    std::vector<MemoryModule> modules;
    while (table.size() >= header_bytes) {
        const Structure structure(table);
        const std::size_t length = structure.byte(1);
        if (length < header_bytes || length > table.size()) break;
        constexpr std::uint16_t empty_slot = 0;
        const Structure device(table.substr(0, length));
        if (structure.byte(0) == memory_device && device.word(0x0c) != empty_slot) modules.push_back(module_of(device));
        // Behind the formatted area are strings, and two NULs.
        const std::size_t end = table.find(std::string_view("\0\0", 2), length);
        if (end == std::string_view::npos) break;
        table.remove_prefix(end + 2);
    }
    return modules;
}

std::optional<double> peak_gb_per_s_at_most(std::span<const MemoryModule> modules) {
    double bytes_per_s = 0;
    for (const MemoryModule& module : modules) {
        if (module.data_width_bits == 0 || module.mt_per_s == 0) return std::nullopt;
        bytes_per_s += module.data_width_bits / 8.0 * module.mt_per_s * 1e6;
    }
    return modules.empty() ? std::nullopt : std::optional(bytes_per_s / 1e9);
}

}  // namespace pinwise
