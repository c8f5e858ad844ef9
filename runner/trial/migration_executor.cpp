#include "runner/trial/migration_executor.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runner/trial/migration_metrics.hpp"
#include "runner/trial/numa_vmstat.hpp"

namespace pinwise {

namespace {

constexpr std::string_view by_kernel = "kernel";
constexpr std::string_view by_nobody = "none";

}  // namespace

MigrationExecutor::MigrationExecutor(Executor& inner, std::optional<Result<KernelBalancing>> balancing)
    : inner_(inner), balancing_(std::move(balancing)) {}

Result<void> MigrationExecutor::set_balancing(bool on) {
    if (!*balancing_) return tl::unexpected<Error>(balancing_->error());
    return (*balancing_)->set(on);
}

TrialResult MigrationExecutor::run(const TrialSpec& spec) {
    const bool kernel = spec.strategy.migration == by_kernel;
    std::string note;
    if (balancing_) {
        if (const auto set = set_balancing(kernel); !set) {
            if (kernel) return failed_trial(fmt::format("not started: migration kernel: {}", set.error().message));
            note = fmt::format("the kernel's NUMA balancing is as it was: {}", set.error().message);
        }
    }
    const NumaVmstat before = read_vmstat();
    TrialResult result = inner_.run(spec);
    if (result.status == TrialStatus::ok)
        result.migration = migration_metrics(spec.strategy.migration, result, read_vmstat() - before);
    if (balancing_ && note.empty()) result.kernel_balancing = kernel;
    if (!note.empty()) result.notes.push_back(std::move(note));
    return result;
}

bool has_migration(std::span<const TrialSpec> trials) {
    return std::ranges::any_of(trials, [](const TrialSpec& spec) { return spec.strategy.migration != by_nobody; });
}

bool has_kernel_migration(std::span<const TrialSpec> trials) {
    return std::ranges::any_of(trials, [](const TrialSpec& spec) { return spec.strategy.migration == by_kernel; });
}

}  // namespace pinwise
