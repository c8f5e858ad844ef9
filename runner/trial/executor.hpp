#pragma once
/// How one trial is run. Everything above it (order, records, statistics, tables) does not know whether anything ran.

#include "runner/trial/trial.hpp"

namespace pinwise {

class Executor {
public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    Executor(Executor&&) = delete;
    Executor& operator=(Executor&&) = delete;
    virtual ~Executor() = default;

    /// Never fails as a call: whatever goes wrong is a failed trial with its reason.
    virtual TrialResult run(const TrialSpec& spec) = 0;
};

}  // namespace pinwise
