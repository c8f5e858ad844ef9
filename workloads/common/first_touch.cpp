#include "workloads/common/first_touch.hpp"

#include <omp.h>

namespace pinwise::workloads {

std::string_view to_string(Touch touch) {
    return touch == Touch::parallel ? "parallel" : "master";
}

void first_touch(Touch touch, int threads, const std::function<void(int)>& touch_part) {
    if (touch == Touch::master) {
        for (int thread = 0; thread < threads; ++thread)
            touch_part(thread);
        return;
    }
#pragma omp parallel num_threads(threads)
    touch_part(omp_get_thread_num());
}

}  // namespace pinwise::workloads
