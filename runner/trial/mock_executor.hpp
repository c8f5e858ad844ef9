#pragma once
/// An executor that runs nothing: the whole pipeline can be tested with it, without a clock.

#include <functional>
#include <vector>

#include "runner/trial/executor.hpp"

namespace pinwise {

/// Answers each trial with `answer(spec)` and remembers what it was asked, in order.
class MockExecutor final : public Executor {
public:
    explicit MockExecutor(std::function<TrialResult(const TrialSpec&)> answer) : answer_(std::move(answer)) {}

    TrialResult run(const TrialSpec& spec) override {
        asked_.push_back(spec);
        return answer_(spec);
    }

    [[nodiscard]] const std::vector<TrialSpec>& asked() const { return asked_; }

private:
    std::function<TrialResult(const TrialSpec&)> answer_;
    std::vector<TrialSpec> asked_;
};

}  // namespace pinwise
