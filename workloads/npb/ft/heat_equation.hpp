#pragma once
/// ∂u/∂t = α∇²u on a periodic box by Fourier transforms, on a team of threads.

#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/common/expected.hpp"
#include "workloads/common/first_touch.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/page_watch.hpp"
#include "workloads/common/partition.hpp"
#include "workloads/common/thread_team.hpp"
#include "workloads/npb/ft/checksum.hpp"
#include "workloads/npb/ft/field.hpp"

namespace pinwise::npb::ft {

/// What solving gave.
struct Solution {
    std::vector<std::complex<double>> checksums;  ///< one a step
    double setup_time_s = 0;                      ///< tables, initial condition and forward transform
    std::vector<double> step_times_s;             ///< each: decay, inverse transform, checksum
    double time_s = 0;                            ///< all of it
};

/// The field in space and its spectrum. A step's decay is applied to the spectrum of t = 0 as it is read, so the
/// spectrum is written once.
class HeatEquation {
public:
    /// Maps everything and touches nothing.
    static workloads::Expected<HeatEquation> allocate(const Extent& extent, std::size_t threads,
                                                      workloads::ThpAdvice thp);

    /// Bytes that allocate() maps.
    static std::uint64_t bytes_needed(const Extent& extent, std::size_t threads);

    /// Zeroes the field, the spectrum and the working memory, each thread what it will use, or the main thread all.
    void first_touch(workloads::Touch touch);

    /// Tables, initial condition and forward transform, then `steps` steps (0 is allowed); `pages`, if any, looks after
    /// each.
    Solution solve(const workloads::ThreadTeam& team, int steps, workloads::PageWatch* pages = nullptr);

    /// Value of the field after the last step.
    [[nodiscard]] std::complex<double> value(std::size_t x, std::size_t y, std::size_t z) const {
        const std::size_t offset = field_shape_.offset(x, y, z);
        return {field_[offset + group_points], field_[offset]};  // exchanged, see decay_transform_bundle()
    }

    /// The parts of the field and the spectrum that a thread touched first.
    [[nodiscard]] std::vector<workloads::MemoryRange> ranges_of_thread(std::size_t thread) const;

    /// Field and spectrum.
    [[nodiscard]] std::vector<workloads::NamedArray> arrays() const;

    /// Why the kernel did not take the THP advice; empty where it did.
    [[nodiscard]] const std::string& advice_refused() const { return field_mapping_->advice_refused(); }

    /// Threads that have a part of both passes.
    [[nodiscard]] std::size_t threads_used() const;

private:
    class Worker;

    HeatEquation(const Extent& extent, std::size_t threads)
        : threads_(threads), field_shape_{extent}, spectrum_shape_{extent}, checksum_points_(field_shape_) {}

    [[nodiscard]] const Extent& extent() const { return field_shape_.extent; }

    /// Whole planes for every thread, where that keeps all about equally busy: rows and columns of a plane are then
    /// transformed while it is in the caches, without a barrier between.
    [[nodiscard]] bool by_planes() const;

    /// Rows of all planes that are a thread's.
    [[nodiscard]] workloads::Slice rows_of(std::size_t thread) const;

    /// Bundles of the spectrum that are a thread's.
    [[nodiscard]] workloads::Slice bundles_of(std::size_t thread) const {
        return workloads::slice_of(thread, threads_, extent().bundles(), 1);
    }

    /// The doubles of a thread's rows, padding included.
    [[nodiscard]] std::span<double> field_part(std::size_t thread) const;
    [[nodiscard]] std::span<double> spectrum_part(std::size_t thread) const;

    [[nodiscard]] double* row(std::size_t y, std::size_t z) const {
        return field_.data() + field_shape_.offset(0, y, z);
    }

    std::size_t threads_;
    FieldShape field_shape_;
    SpectrumShape spectrum_shape_;
    ChecksumPoints checksum_points_;
    std::optional<workloads::HugePageMapping> field_mapping_;
    std::optional<workloads::HugePageMapping> spectrum_mapping_;
    std::vector<workloads::HugePageMapping> scratch_mappings_;
    std::span<double> field_;
    std::span<double> spectrum_;
    std::vector<std::span<double>> scratch_;  ///< by thread
};

}  // namespace pinwise::npb::ft
