#pragma once
/// The memory of a run of BT, SP or LU: three fields that all threads share, and what each thread has for itself.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/page_watch.hpp"
#include "workloads/npb/cfd/grid.hpp"

namespace pinwise::npb::cfd {

/// Doubles on cache lines that belong to one thread: allocated, zeroed and so placed by whoever calls resize().
class ThreadMemory {
public:
    void resize(std::size_t doubles) { lines_.resize((doubles + line_doubles - 1) / line_doubles); }
    [[nodiscard]] double* data() { return lines_.empty() ? nullptr : lines_.front().values; }

private:
    struct alignas(line_doubles * sizeof(double)) Line {
        double values[line_doubles];
    };
    std::vector<Line> lines_;
};

/// States u, right-hand sides rhs (residuals and updates too), and the forcing term, in one mapping. They begin at
/// different distances from a page, so that the same point of two fields is not in the same cache set.
class Fields {
public:
    static workloads::Expected<Fields> map(const Grid& grid, workloads::ThpAdvice advice);

    static std::uint64_t bytes(const Grid& grid);

    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] std::span<double> u() const { return field(0); }
    [[nodiscard]] std::span<double> rhs() const { return field(1); }
    [[nodiscard]] std::span<double> forcing() const { return field(2); }
    [[nodiscard]] const workloads::HugePageMapping& mapping() const { return mapping_; }

    [[nodiscard]] std::vector<workloads::NamedArray> arrays() const;

    /// The memory of the planes in each field.
    [[nodiscard]] std::vector<workloads::MemoryRange> ranges_of(Slab planes) const;

private:
    static constexpr std::size_t count = 3;

    Fields(const Grid& grid, workloads::HugePageMapping mapping) : grid_(grid), mapping_(std::move(mapping)) {}

    static std::size_t distance(const Grid& grid);
    [[nodiscard]] std::span<double> field(std::size_t index) const;

    Grid grid_;
    workloads::HugePageMapping mapping_;
};

}  // namespace pinwise::npb::cfd
