#include "placer/topology/machine_image.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "placer/topology/cpu_list.hpp"

namespace pinwise {

namespace {

constexpr std::uint32_t image_version = 0x6d770001;
constexpr std::size_t max_words = static_cast<std::size_t>(max_cpu_number) / 64 + 1;
constexpr int no_node = -1;

/// Appends each value it is given. `exchange` below has the same form for reading, so the order of fields is written
/// once.
class Writer {
public:
    template <class Number>
    requires std::is_arithmetic_v<Number>
    void exchange(const Number& value) {
        std::array<std::byte, sizeof(Number)> raw{};
        std::memcpy(raw.data(), &value, sizeof(Number));
        bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    }

    void exchange(const std::string& text) {
        exchange(static_cast<std::uint32_t>(text.size()));
        for (const char c : text)
            exchange(c);
    }

    void exchange(const CpuSet& cpus) {
        const auto words = cpus.words();
        exchange(static_cast<std::uint32_t>(words.size()));
        for (const std::uint64_t word : words)
            exchange(word);
    }

    void exchange(const std::optional<int>& number) { exchange(number.value_or(no_node)); }

    template <class Item, class Each>
    void exchange_list(const std::vector<Item>& items, Each each) {
        exchange(static_cast<std::uint32_t>(items.size()));
        for (const Item& item : items)
            each(item);
    }

    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

/// Reads into each value; after the first value that is not there or not possible, everything is left as it is.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class Number>
    requires std::is_arithmetic_v<Number>
    void exchange(Number& value) {
        if (failed_ || left() < sizeof(Number)) {
            failed_ = true;
            return;
        }
        std::memcpy(&value, bytes_.data() + position_, sizeof(Number));
        position_ += sizeof(Number);
    }

    void exchange(std::string& text) {
        text.resize(count(1, left()));
        for (char& c : text)
            exchange(c);
    }

    void exchange(CpuSet& cpus) {
        std::vector<std::uint64_t> words(count(sizeof(std::uint64_t), max_words));
        for (std::uint64_t& word : words)
            exchange(word);
        if (!failed_) cpus = CpuSet::from_words(words);
    }

    void exchange(std::optional<int>& number) {
        int value = no_node;
        exchange(value);
        if (value != no_node) number = value;
    }

    template <class Item, class Each>
    void exchange_list(std::vector<Item>& items, Each each) {
        items.resize(count(1, static_cast<std::size_t>(max_cpu_number) * 16));
        for (Item& item : items)
            each(item);
    }

    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] std::size_t position() const { return position_; }
    [[nodiscard]] std::size_t left() const { return bytes_.size() - position_; }

private:
    /// A number of items that can be there: `item_bytes` at least each, `limit` at most of them.
    std::size_t count(std::size_t item_bytes, std::size_t limit) {
        std::uint32_t items = 0;
        exchange(items);
        if (failed_ || items > limit || items > left() / item_bytes) {
            failed_ = true;
            return 0;
        }
        return items;
    }

    std::span<const std::byte> bytes_;
    std::size_t position_ = 0;
    bool failed_ = false;
};

/// The one place that knows the order of fields; `machine` is const for a Writer.
template <class Exchanger, class AnyMachine>
void exchange_machine(Exchanger& with, AnyMachine& machine) {
    with.exchange(machine.source);
    with.exchange(machine.cpu_model);
    with.exchange(machine.reclaim_distance);
    with.exchange_list(machine.pus, [&](auto& pu) {
        for (auto* number : {&pu.os_index, &pu.core, &pu.llc, &pu.package, &pu.smt_rank, &pu.efficiency}) {
            with.exchange(*number);
        }
        with.exchange(pu.node);
    });
    with.exchange_list(machine.cores, [&](auto& core) { with.exchange(core.cpus); });
    with.exchange_list(machine.llcs, [&](auto& llc) {
        with.exchange(llc.level);
        with.exchange(llc.size_bytes);
        with.exchange(llc.cpus);
    });
    with.exchange_list(machine.packages, [&](auto& package) { with.exchange(package.cpus); });
    with.exchange_list(machine.nodes, [&](auto& node) {
        with.exchange(node.os_index);
        with.exchange(node.cpus);
        with.exchange(node.local_cpus);
        with.exchange(node.memory_bytes);
    });
    with.exchange_list(machine.distances.nodes, [&](auto& node) { with.exchange(node); });
    with.exchange_list(machine.distances.values, [&](auto& value) { with.exchange(value); });
    for (auto* cpus : {&machine.online, &machine.offline, &machine.allowed})
        with.exchange(*cpus);
}

}  // namespace

std::vector<std::byte> encode_machine(const Machine& machine) {
    Writer writer;
    writer.exchange(image_version);
    exchange_machine(writer, machine);
    return writer.take();
}

Result<Machine> decode_machine(std::span<const std::byte> bytes) {
    Reader reader(bytes);
    std::uint32_t version = 0;
    reader.exchange(version);
    if (version != image_version)
        return failure(fmt::format("machine image: version {:#x} is not {:#x}", version, image_version));
    Machine machine;
    exchange_machine(reader, machine);
    if (reader.failed())
        return failure(
            fmt::format("machine image: cut off or impossible at byte {} of {}", reader.position(), bytes.size()));
    if (reader.left() != 0) return failure(fmt::format("machine image: {} bytes too long", reader.left()));
    if (!is_consistent(machine)) return failure("machine image: its CPUs, caches and nodes contradict each other");
    return machine;
}

}  // namespace pinwise
