#include "workloads/npb/ft/checksum.hpp"

namespace pinwise::npb::ft {

ChecksumPoints::ChecksumPoints(const FieldShape& shape) : offsets_(shape.extent.nz) {
    constexpr std::size_t points = 1024;
    for (std::size_t j = 1; j <= points; ++j) {
        const std::size_t z = 5 * j % shape.extent.nz;
        offsets_[z].push_back(shape.offset(j % shape.extent.nx, 3 * j % shape.extent.ny, z));
    }
}

std::complex<double> ChecksumPoints::sum_of_plane(std::size_t z, const double* field) const {
    std::complex<double> sum;
    for (const std::size_t offset : offsets_[z])
        sum += std::complex(field[offset + group_points], field[offset]);
    return sum;
}

}  // namespace pinwise::npb::ft
