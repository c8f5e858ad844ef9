#pragma once
/// FT's checksum: the sum of 1024 points of the field, over the number of all points.

#include <complex>
#include <cstddef>
#include <vector>

#include "workloads/npb/ft/field.hpp"

namespace pinwise::npb::ft {

/// The points of the checksum, sorted by plane, so that each plane's can be added up while the plane is in the caches.
class ChecksumPoints {
public:
    explicit ChecksumPoints(const FieldShape& shape);

    /// Sum over plane z of a field whose real and imaginary parts are exchanged.
    [[nodiscard]] std::complex<double> sum_of_plane(std::size_t z, const double* field) const;

private:
    std::vector<std::vector<std::size_t>> offsets_;  ///< by plane: of real parts
};

}  // namespace pinwise::npb::ft
