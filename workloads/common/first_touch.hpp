#pragma once
/// Who touches a workload's data first, and so decides on which NUMA node they are.

#include <functional>
#include <string_view>

namespace pinwise::workloads {

enum class Touch {
    parallel,  ///< the threads that use the data
    master,    ///< the main thread touches all of it: the case that page migration must repair
};

/// The option's word for it: parallel, master.
std::string_view to_string(Touch touch);

/// Calls `touch_part(thread)` for every thread 0 … threads − 1: each on that thread of a team, or, with Touch::master,
/// all of them one after the other on the calling thread. touch_part must not share out work itself.
void first_touch(Touch touch, int threads, const std::function<void(int)>& touch_part);

}  // namespace pinwise::workloads
