#include "workloads/npb/ua/storage.hpp"

namespace pinwise::npb::ua {

namespace {

constexpr std::size_t line_bytes = 64;

/// Cuts arrays out of memory one after the other; without memory it only counts.
class Cutter {
public:
    explicit Cutter(std::byte* start) : start_(start) {}

    template <class T>
    void cut(std::span<T>& array, std::size_t count) {
        if (start_ != nullptr) array = {reinterpret_cast<T*>(start_ + used_), count};
        used_ += (count * sizeof(T) + line_bytes - 1) / line_bytes * line_bytes;
    }

    [[nodiscard]] std::size_t used() const { return used_; }

private:
    std::byte* start_;
    std::size_t used_ = 0;
};

Arrays cut_arrays(const Capacity& capacity, Cutter& cutter) {
    Arrays arrays;
    const std::size_t blocks = capacity.blocks();
    cutter.cut(arrays.temperature, blocks * block_values);
    cutter.cut(arrays.pool, capacity.pool_values());
    for (auto* inner : {&arrays.inner_residual, &arrays.inner_direction, &arrays.inner_inverse_diagonal})
        cutter.cut(*inner, blocks * block_inner_values);
    for (auto* vector : {&arrays.mortar, &arrays.residual, &arrays.direction, &arrays.inverse_diagonal})
        cutter.cut(*vector, capacity.mortar_values());
    cutter.cut(arrays.block_sums, blocks);
    cutter.cut(arrays.constants, blocks);
    cutter.cut(arrays.index, blocks);
    cutter.cut(arrays.slaves, blocks * lanes);
    cutter.cut(arrays.owned, blocks * lanes);
    cutter.cut(arrays.face_groups, capacity.slave_faces() / lanes);
    cutter.cut(arrays.edge_groups, capacity.slave_edges() / lanes);
    return arrays;
}

}  // namespace

std::size_t Capacity::blocks() const {
    return (elements + lanes - 1) / lanes;
}

std::size_t Capacity::slave_faces() const {
    return (elements * 3 / 4 / lanes + 1 + threads) * lanes;
}

std::size_t Capacity::slave_edges() const {
    return (elements * 36 / 7 / lanes + 1 + threads) * lanes;
}

std::size_t Capacity::mortar_values() const {
    return mortar_zeros + mortar_points + slave_faces() * face_points + slave_edges() * edge_points;
}

std::size_t Capacity::pool_values() const {
    return blocks() * block_values + slave_faces() * patch_points + slave_edges() * split_line_nodes +
           face_points * lanes;
}

std::uint64_t Storage::bytes_needed(const Capacity& capacity) {
    Cutter cutter(nullptr);
    cut_arrays(capacity, cutter);
    return cutter.used();
}

workloads::Expected<Storage> Storage::allocate(const Capacity& capacity, workloads::ThpAdvice thp) {
    auto mapping = workloads::HugePageMapping::map(bytes_needed(capacity), thp);
    if (!mapping) return tl::unexpected(mapping.error());
    Cutter cutter(mapping->bytes().data());
    const Arrays arrays = cut_arrays(capacity, cutter);
    return Storage(std::move(*mapping), arrays);
}

}  // namespace pinwise::npb::ua
