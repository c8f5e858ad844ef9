#pragma once
/// Highway's choice of the instruction set, set to one of them for the life of a value.

#include <cstdint>

#include <hwy/highway.h>

namespace pinwise::test {

class ForcedTarget {
public:
    explicit ForcedTarget(std::int64_t target) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
    ForcedTarget(const ForcedTarget&) = delete;
    ForcedTarget& operator=(const ForcedTarget&) = delete;
    ~ForcedTarget() {
        hwy::SetSupportedTargetsForTest(0);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
};

}  // namespace pinwise::test
