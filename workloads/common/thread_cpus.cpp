#include "workloads/common/thread_cpus.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace pinwise::workloads {

CurrentCpu current_cpu() {
    unsigned cpu = 0;
    unsigned node = 0;
    if (syscall(SYS_getcpu, &cpu, &node, nullptr) != 0) return {};
    return {static_cast<int>(cpu), static_cast<int>(node)};
}

pid_t current_tid() {
    return static_cast<pid_t>(syscall(SYS_gettid));
}

}  // namespace pinwise::workloads
