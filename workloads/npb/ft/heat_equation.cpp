#include "workloads/npb/ft/heat_equation.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <omp.h>

#include "workloads/npb/common/stopwatch.hpp"
#include "workloads/npb/common/team_barrier.hpp"
#include "workloads/npb/ft/decay_table.hpp"
#include "workloads/npb/ft/fft.hpp"
#include "workloads/npb/ft/fft_plan.hpp"
#include "workloads/npb/ft/initial_condition.hpp"

namespace pinwise::npb::ft {

namespace {

/// Everything that is computed from the extent alone, anew in every timed run as NPB wants it.
struct Tables {
    Tables(const Extent& extent, int steps)
        : row_plan(plan_row_fft(extent.nx)),
          y_plan(plan_fft(extent.ny)),
          z_plan(plan_fft(extent.nz)),
          decay_x(extent.nx, steps),
          decay_y(extent.ny, steps),
          decay_z(extent.nz, steps) {}

    RowFftPlan row_plan;
    FftPlan y_plan;
    FftPlan z_plan;
    DecayTable decay_x;
    DecayTable decay_y;
    DecayTable decay_z;
};

}  // namespace

/// What one thread does. Forward: rows and columns of planes, then lines along z into the spectrum. Inverse: lines
/// along z back into the field, then rows and columns.
class HeatEquation::Worker {
public:
    Worker(const HeatEquation& equation, const Tables& tables, std::size_t thread, TeamBarrier& barrier)
        : equation_(equation),
          tables_(tables),
          extent_(equation.extent()),
          thread_(thread),
          rows_(equation.rows_of(thread)),
          bundles_(equation.bundles_of(thread)),
          scratch_(equation.scratch_[thread]),
          barrier_(barrier) {}

    void forward() {
        transform_planes([this](std::size_t row) { fill(row); });
        barrier_.wait();
        for (std::size_t bundle = bundles_.begin; bundle < bundles_.end; ++bundle)
            gather_transform_bundle(tables_.z_plan, line_of(bundle), equation_.field_shape_.plane_stride(),
                                    spectrum_of(bundle), scratch_);
        barrier_.wait();
    }

    /// Leaves the sums of the planes' checksums in plane_sums.
    void step(int t, std::span<std::complex<double>> plane_sums) {
        for (std::size_t bundle = bundles_.begin; bundle < bundles_.end; ++bundle)
            inverse_line(t, bundle);
        barrier_.wait();
        transform_planes([](std::size_t) {});
        // Planes that several threads share are whole only after a barrier.
        if (!equation_.by_planes()) barrier_.wait();
        const auto planes = workloads::slice_of(thread_, equation_.threads_, extent_.nz, 1);
        for (std::size_t z = planes.begin; z < planes.end; ++z)
            plane_sums[z] = equation_.checksum_points_.sum_of_plane(z, equation_.field_.data());
        barrier_.wait();
    }

private:
    /// Along x and y: prepare_row(row), then the row; then the columns.
    template <class Prepare>
    void transform_planes(const Prepare& prepare_row) {
        if (equation_.by_planes()) {
            for (std::size_t row = rows_.begin; row < rows_.end; row += extent_.ny) {
                transform_rows_of({row, row + extent_.ny}, prepare_row);
                const std::size_t first_column = row / extent_.ny * extent_.bundles_per_row();
                transform_columns_of({first_column, first_column + extent_.bundles_per_row()});
            }
        } else {
            transform_rows_of(rows_, prepare_row);
            barrier_.wait();
            transform_columns_of(
                workloads::slice_of(thread_, equation_.threads_, extent_.bundles_per_row() * extent_.nz, 1));
        }
    }

    template <class Prepare>
    void transform_rows_of(const workloads::Slice& rows, const Prepare& prepare_row) {
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            prepare_row(row);
            transform_row(tables_.row_plan, row_at(row), row_at(row + 1), scratch_);
        }
    }

    /// Columns are numbered by bundle in x, then by plane.
    void transform_columns_of(const workloads::Slice& columns) {
        for (std::size_t column = columns.begin; column < columns.end; ++column) {
            double* plane = equation_.row(0, column / extent_.bundles_per_row());
            transform_bundle(tables_.y_plan, plane + column % extent_.bundles_per_row() * bundle_doubles,
                             equation_.field_shape_.row_stride(), scratch_);
        }
    }

    void fill(std::size_t row) { fill_row(equation_.field_shape_, row % extent_.ny, row / extent_.ny, row_at(row)); }

    [[nodiscard]] double* row_at(std::size_t row) const {
        return equation_.row(row % extent_.ny, row / extent_.ny % extent_.nz);
    }

    void inverse_line(int t, std::size_t bundle) {
        const std::size_t x = bundle % extent_.bundles_per_row() * bundle_points;
        const std::size_t y = bundle / extent_.bundles_per_row();
        std::array<double, bundle_points> across{};
        const double decay_y = tables_.decay_y.of_step(t)[y];
        for (std::size_t i = 0; i < bundle_points; ++i)
            across[i] = decay_y * tables_.decay_x.of_step(t)[x + i];
        decay_transform_bundle(tables_.z_plan, spectrum_of(bundle), {across, tables_.decay_z.of_step(t)},
                               line_of(bundle), equation_.field_shape_.plane_stride(), scratch_);
    }

    /// Where a bundle's line along z begins in the field.
    [[nodiscard]] double* line_of(std::size_t bundle) const {
        return equation_.row(bundle / extent_.bundles_per_row(), 0) +
               bundle % extent_.bundles_per_row() * bundle_doubles;
    }

    [[nodiscard]] double* spectrum_of(std::size_t bundle) const {
        return equation_.spectrum_.data() + bundle * equation_.spectrum_shape_.bundle_stride();
    }

    const HeatEquation& equation_;
    const Tables& tables_;
    Extent extent_;
    std::size_t thread_;
    workloads::Slice rows_;
    workloads::Slice bundles_;
    std::span<double> scratch_;
    TeamBarrier& barrier_;
};

std::uint64_t HeatEquation::bytes_needed(const Extent& extent, std::size_t threads) {
    return (FieldShape{extent}.elements() + SpectrumShape{extent}.elements() + threads * scratch_elements(extent)) *
           sizeof(double);
}

workloads::Expected<HeatEquation> HeatEquation::allocate(const Extent& extent, std::size_t threads,
                                                         workloads::ThpAdvice thp) {
    HeatEquation equation(extent, threads);
    const std::size_t field_elements = equation.field_shape_.elements();
    const std::size_t spectrum_elements = equation.spectrum_shape_.elements();
    auto field = workloads::HugePageMapping::map(field_elements * sizeof(double), thp);
    if (!field) return tl::unexpected(field.error());
    auto spectrum = workloads::HugePageMapping::map(spectrum_elements * sizeof(double), thp);
    if (!spectrum) return tl::unexpected(spectrum.error());
    equation.field_ = field->as<double>(field_elements);
    equation.spectrum_ = spectrum->as<double>(spectrum_elements);
    equation.field_mapping_ = std::move(*field);
    equation.spectrum_mapping_ = std::move(*spectrum);
    for (std::size_t thread = 0; thread < threads; ++thread) {
        auto scratch = workloads::HugePageMapping::map(scratch_elements(extent) * sizeof(double), thp);
        if (!scratch) return tl::unexpected(scratch.error());
        equation.scratch_.push_back(scratch->as<double>(scratch_elements(extent)));
        equation.scratch_mappings_.push_back(std::move(*scratch));
    }
    return equation;
}

bool HeatEquation::by_planes() const {
    constexpr std::size_t planes_enough = 8;  // one thread's plane more than another's is then at most an eighth
    return extent().nz % threads_ == 0 || extent().nz / threads_ >= planes_enough;
}

workloads::Slice HeatEquation::rows_of(std::size_t thread) const {
    return workloads::slice_of(thread, threads_, extent().ny * extent().nz, by_planes() ? extent().ny : 1);
}

std::span<double> HeatEquation::field_part(std::size_t thread) const {
    const auto rows = rows_of(thread);
    const auto offset = [this](std::size_t row) {
        const std::size_t z = row / extent().ny;
        return z == extent().nz ? field_.size() : field_shape_.offset(0, row % extent().ny, z);
    };
    return field_.subspan(offset(rows.begin), offset(rows.end) - offset(rows.begin));
}

std::span<double> HeatEquation::spectrum_part(std::size_t thread) const {
    const auto bundles = bundles_of(thread);
    return spectrum_.subspan(bundles.begin * spectrum_shape_.bundle_stride(),
                             bundles.size() * spectrum_shape_.bundle_stride());
}

void HeatEquation::first_touch(workloads::Touch touch) {
    workloads::first_touch(touch, static_cast<int>(threads_), [this](int thread) {
        const auto index = static_cast<std::size_t>(thread);
        for (const auto& part : {scratch_[index], field_part(index), spectrum_part(index)})
            std::fill(part.begin(), part.end(), 0.0);
    });
}

Solution HeatEquation::solve(const workloads::ThreadTeam& team, int steps, workloads::PageWatch* pages) {
    Solution solution;
    solution.checksums.resize(static_cast<std::size_t>(steps));
    solution.step_times_s.resize(static_cast<std::size_t>(steps));
    std::vector<std::complex<double>> plane_sums(extent().nz);
    TeamBarrier barrier(team);
    const auto points = static_cast<double>(extent().points());
    const int threads = static_cast<int>(threads_);
    const Stopwatch whole;
    const Tables tables(extent(), steps);
#pragma omp parallel num_threads(threads)
    {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        Worker worker(*this, tables, thread, barrier);
        worker.forward();
        if (thread == 0) solution.setup_time_s = whole.seconds();
        Stopwatch laps;
        for (std::size_t i = 0; i < solution.checksums.size(); ++i) {
            worker.step(static_cast<int>(i) + 1, plane_sums);
            if (thread != 0) continue;
            solution.checksums[i] =
                std::accumulate(plane_sums.begin(), plane_sums.end(), std::complex<double>{}) / points;
            solution.step_times_s[i] = laps.lap();
            if (pages != nullptr) pages->look();
        }
    }
    solution.time_s = whole.seconds();
    return solution;
}

std::vector<workloads::MemoryRange> HeatEquation::ranges_of_thread(std::size_t thread) const {
    return {std::as_bytes(field_part(thread)), std::as_bytes(spectrum_part(thread))};
}

std::vector<workloads::NamedArray> HeatEquation::arrays() const {
    return {{"field", field_mapping_->bytes()}, {"spectrum", spectrum_mapping_->bytes()}};
}

std::size_t HeatEquation::threads_used() const {
    return std::min({threads_, extent().bundles(), extent().ny * extent().nz});
}

}  // namespace pinwise::npb::ft
