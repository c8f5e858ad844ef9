#include "workloads/common/thread_team.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include <fmt/core.h>
#include <omp.h>

#include "workloads/common/allowed_cpus.hpp"

namespace pinwise::workloads {

Expected<ThreadTeam> start_team(int threads) {
    ThreadTeam team;
    team.threads.resize(static_cast<std::size_t>(threads));
    std::vector<std::vector<int>> masks(static_cast<std::size_t>(threads));
    int given = 0;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
    {
        const CurrentCpu born = current_cpu();
        const int index = omp_get_thread_num();
        ThreadCpus& self = team.threads[static_cast<std::size_t>(index)];
        self = {index, current_tid(), born.cpu, born.cpu, born.node, {}};
        masks[static_cast<std::size_t>(index)] = allowed_cpus();
#pragma omp single
        given = omp_get_num_threads();
    }
    if (given != threads)
        return failed_run(
            fmt::format("asked for {} threads, the OpenMP runtime gave {}: look at OMP_THREAD_LIMIT and ulimit -u",
                        threads, given));
    for (const auto& mask : masks)
        team.allowed_cpus.insert(team.allowed_cpus.end(), mask.begin(), mask.end());
    std::sort(team.allowed_cpus.begin(), team.allowed_cpus.end());
    team.allowed_cpus.erase(std::unique(team.allowed_cpus.begin(), team.allowed_cpus.end()), team.allowed_cpus.end());
    return team;
}

void record_last_cpus(ThreadTeam& team) {
#pragma omp parallel num_threads(team.size())
    {
        const CurrentCpu now = current_cpu();
        ThreadCpus& self = team.threads[static_cast<std::size_t>(omp_get_thread_num())];
        self.last_cpu = now.cpu;
        self.last_node = now.node;
    }
}

std::string omp_wait_policy() {
    const char* setting = std::getenv("OMP_WAIT_POLICY");
    if (setting == nullptr) return "default";
    std::string policy(setting);
    std::transform(policy.begin(), policy.end(), policy.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return policy == "active" || policy == "passive" ? policy : "default";
}

std::string omp_proc_bind() {
    switch (omp_get_proc_bind()) {
        case omp_proc_bind_true:
            return "true";
        case omp_proc_bind_master:
            return "master";
        case omp_proc_bind_close:
            return "close";
        case omp_proc_bind_spread:
            return "spread";
        default:
            return "false";
    }
}

}  // namespace pinwise::workloads
