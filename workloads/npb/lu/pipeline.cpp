#include "workloads/npb/lu/pipeline.hpp"

#include <hwy/cache_control.h>

namespace pinwise::npb::lu {

namespace {

bool has_reached(std::uint32_t done, std::uint32_t wanted) {
    return static_cast<std::int32_t>(done - wanted) >= 0;
}

}  // namespace

void Progress::await(std::size_t thread, std::uint32_t stages) const {
    const auto& done = done_[thread].stages;
    for (std::uint32_t round = 0; round < spin_rounds_; ++round) {
        if (has_reached(done.load(std::memory_order_acquire), stages)) return;
        hwy::Pause();
    }
    for (std::uint32_t seen = done.load(std::memory_order_acquire); !has_reached(seen, stages);
         seen = done.load(std::memory_order_acquire))
        done.wait(seen, std::memory_order_acquire);
}

}  // namespace pinwise::npb::lu
