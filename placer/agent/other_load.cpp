#include "placer/agent/other_load.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "placer/agent/descriptor.hpp"
#include "placer/agent/session_lock.hpp"
#include "placer/agent/task_status.hpp"
#include "placer/agent/thread_table.hpp"

namespace pinwise {

namespace {

constexpr std::int64_t interval_per_cost = 20;

/// The numbers among the names in a folder of /proc; empty when it is gone.
std::vector<int> numbers_in(const std::string& folder) {
    std::vector<int> numbers;
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator(folder, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        int number = 0;
        const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (problem == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
    }
    return numbers;
}

/// What matters of a line of /proc/PID/stat.
struct Task {
    int running_on = -1;  ///< -1: not in state R
    int threads = 0;      ///< of its process
    bool is_kernel_thread = false;
};

// Not state D, which the session counts for its own threads only: it may be a dead network file system.
Task read_task(const std::string& path) {
    constexpr int flags_behind_state = 6;
    constexpr int threads_behind_state = 17;
    constexpr unsigned long kernel_thread_flag = 0x200000;  // PF_KTHREAD
    const Descriptor stat(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 512> text{};
    if (stat.get() < 0 || read(stat.get(), text.data(), text.size() - 1) <= 0) return {};
    const std::string_view line(text.data());
    const auto name_end = line.rfind(") ");
    if (name_end == std::string_view::npos) return {};
    std::string_view rest = line.substr(name_end + 2);
    Task task;
    if (rest.starts_with("R ")) task.running_on = parse_task_stat(line).cpu;
    for (int field = 0; field < threads_behind_state; ++field) {
        if (field == flags_behind_state) {
            unsigned long flags = 0;
            std::from_chars(rest.data(), rest.data() + rest.size(), flags);
            task.is_kernel_thread = (flags & kernel_thread_flag) != 0;
        }
        rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
    }
    std::from_chars(rest.data(), rest.data() + rest.size(), task.threads);
    return task;
}

/// Most processes have one thread, and one file tells all of it.
std::vector<int> running_cpus(int pid, const Task& first) {
    std::vector<int> cpus;
    if (first.threads <= 1) {
        if (first.running_on >= 0) cpus.push_back(first.running_on);
        return cpus;
    }
    const std::string tasks = fmt::format("/proc/{}/task", pid);
    for (const int tid : numbers_in(tasks)) {
        const int cpu = read_task(fmt::format("{}/{}/stat", tasks, tid)).running_on;
        if (cpu >= 0) cpus.push_back(cpu);
    }
    return cpus;
}

std::set<int> session_processes(const SessionMemory& memory) {
    std::set<int> pids{getpid()};
    const SessionLock lock(memory.header());
    if (!lock.held()) return pids;
    ThreadTable table(memory);
    table.settle(lock);
    for (int position = 0; position < table.live_count(); ++position)
        pids.insert(table.record(table.live(position)).pid.load(std::memory_order_relaxed));
    return pids;
}

}  // namespace

void OtherLoad::start_pass(const SessionMemory& memory) {
    const std::set<int> ours = session_processes(memory);
    pass_ = numbers_in("/proc");
    std::ranges::sort(pass_);
    std::erase_if(kernel_threads_, [&](int pid) { return !std::ranges::binary_search(pass_, pid); });
    std::erase_if(pass_, [&](int pid) { return ours.contains(pid) || kernel_threads_.contains(pid); });
    std::erase_if(cpus_, [&](const auto& known) { return !std::ranges::binary_search(pass_, known.first); });
    left_ = pass_.size();
}

void OtherLoad::look(const SessionMemory& memory, std::int64_t budget_ns) {
    const std::int64_t start_ns = own_cpu_time_ns();
    if (left_ == 0) start_pass(memory);
    for (; left_ > 0 && own_cpu_time_ns() - start_ns < budget_ns; --left_) {
        const int pid = pass_[left_ - 1];
        const Task first = read_task(fmt::format("/proc/{}/stat", pid));
        if (first.is_kernel_thread)
            kernel_threads_.insert(pid);
        else
            cpus_[pid] = running_cpus(pid, first);
    }
    publish(memory.header());
    looked_ns_ = session_time_ns();
    cost_ns_ = own_cpu_time_ns() - start_ns;
}

void OtherLoad::look_if_due(const SessionMemory& memory) {
    constexpr std::int64_t slice_ns = 20'000'000;
    // The first look, before the program starts, may have taken longer: that is over.
    if (session_time_ns() - looked_ns_ >= interval_per_cost * std::min(cost_ns_, slice_ns)) look(memory, slice_ns);
}

int OtherLoad::runnable_threads(int pid) const {
    const auto known = cpus_.find(pid);
    return known == cpus_.end() ? 0 : static_cast<int>(known->second.size());
}

void OtherLoad::publish(SessionHeader& header) const {
    std::vector<std::uint32_t> sums(max_session_cpus);
    for (const auto& [pid, cpus] : cpus_)
        for (const int cpu : cpus)
            if (cpu < max_session_cpus) ++sums[static_cast<std::size_t>(cpu)];
    for (std::size_t cpu = 0; cpu < sums.size(); ++cpu)
        header.others[cpu].store(sums[cpu], std::memory_order_relaxed);
}

}  // namespace pinwise
