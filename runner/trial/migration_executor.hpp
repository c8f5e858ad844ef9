#pragma once
/// An executor around another one, for experiments on page migration: sets the kernel's NUMA balancing for each trial
/// and counts what was migrated in it.

#include <optional>
#include <span>

#include "runner/trial/executor.hpp"
#include "runner/trial/kernel_balancing.hpp"

namespace pinwise {

class MigrationExecutor final : public Executor {
public:
    /// `inner` outlives it. `balancing`: on in trials with migration = kernel, off in all others; nothing: left alone.
    MigrationExecutor(Executor& inner, std::optional<Result<KernelBalancing>> balancing);

    /// A trial of the kernel's balancing that cannot have it fails; the others run, with a note.
    TrialResult run(const TrialSpec& spec) override;

private:
    [[nodiscard]] Result<void> set_balancing(bool on);

    Executor& inner_;
    std::optional<Result<KernelBalancing>> balancing_;
};

/// Whether some trial has page migration of any kind.
bool has_migration(std::span<const TrialSpec> trials);

/// Whether some trial needs the kernel's balancing.
bool has_kernel_migration(std::span<const TrialSpec> trials);

}  // namespace pinwise
