#include "workloads/common/thread_cpus.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/core.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pinwise::workloads {

namespace {

/// Field 39 of the task's stat file; the name in parentheses before it may hold anything.
int last_cpu_of(pid_t tid) {
    std::ifstream file(fmt::format("/proc/self/task/{}/stat", tid));
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) return -1;
    std::istringstream words(text.substr(name_end + 1));
    std::string word;
    for (int field = 3; field <= 39; ++field)
        if (!(words >> word)) return -1;
    return std::stoi(word);
}

/// The CPU's folder has a link named after its node.
int node_of_cpu(int cpu) {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("/sys/devices/system/cpu/cpu{}", cpu), error)) {
        const std::string name = entry.path().filename();
        if (name.starts_with("node")) return std::stoi(name.substr(4));
    }
    return -1;
}

}  // namespace

int node_of_task(pid_t tid) {
    const int cpu = last_cpu_of(tid);
    return cpu < 0 ? -1 : node_of_cpu(cpu);
}

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
