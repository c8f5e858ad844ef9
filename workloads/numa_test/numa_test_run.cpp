#include "workloads/numa_test/numa_test_run.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "workloads/common/memory_available.hpp"
#include "workloads/common/monotonic_time.hpp"
#include "workloads/common/size_text.hpp"
#include "workloads/numa_test/job.hpp"

namespace pinwise::numa_test {

namespace {

using workloads::ChildEnd;
using workloads::ChildProcesses;
using workloads::Expected;

Expected<void> check_memory(const Options& options) {
    const auto available = workloads::memory_available();
    if (!available) return tl::unexpected(available.error());
    const std::uint64_t job_bytes = options.elements * element_bytes;
    const std::uint64_t total = static_cast<std::uint64_t>(options.jobs) * job_bytes;
    if (total <= available->bytes) return {};
    return workloads::users_mistake(
        fmt::format("{} jobs of {} need {}, but {} is available ({}); give fewer jobs or a smaller --size",
                    options.jobs, workloads::bytes_text(job_bytes), workloads::bytes_text(total),
                    workloads::bytes_text(available->bytes), available->limited_by));
}

/// Every job runs from its birth on: held back together, they would look idle to who places the next one.
Expected<void> start_jobs(FinishedRun& run, ChildProcesses& children) {
    const Options& options = run.options;
    const JobWork work{options.elements, options.sweeps, options.thp, options.node_times};
    for (std::size_t job = 0; job < run.records.size(); ++job) {
        const auto pid = children.fork([&] { return run_job(work, run.nodes, run.records[job]); });
        if (!pid)
            return workloads::failed_run(fmt::format("job {} of {}: {}", job + 1, options.jobs, pid.error().message));
        run.ends[job].pid = *pid;
    }
    return {};
}

workloads::WorkloadError bad_end(std::size_t job, const JobRecord& record, const ChildEnd& end) {
    const std::string trouble = record.trouble.data();
    return {workloads::ExitStatus::failed_run,
            fmt::format("job {}: {}", job + 1,
                        trouble.empty() ? fmt::format("it ended with {}{}", workloads::end_text(end.wait_status),
                                                      end.wait_status == SIGKILL ? " (out of memory?)" : "")
                                        : trouble)};
}

/// How many of the ends are jobs', noted with the run.
Expected<std::size_t> note_ends(FinishedRun& run, const workloads::Happening& happening) {
    if (happening.signal != 0)
        return workloads::failed_run(
            fmt::format("ended by SIG{}; no job is left running", sigabbrev_np(happening.signal)));
    std::size_t jobs = 0;
    for (const ChildEnd& end : happening.ended) {
        if (const auto noted = run.disturbance.note_end(end); !noted) return tl::unexpected(noted.error());
        const auto job = std::ranges::find(run.ends, end.pid, &ChildEnd::pid);
        if (job == run.ends.end() || job->seen_ns != 0) continue;
        *job = end;
        ++jobs;
        const auto index = static_cast<std::size_t>(job - run.ends.begin());
        if (!end.ended_well()) return tl::unexpected(bad_end(index, run.records[index], end));
    }
    return jobs;
}

}  // namespace

Expected<FinishedRun> run_numa_test(const Options& options, ChildProcesses& children) {
    if (const auto enough = check_memory(options); !enough) return tl::unexpected(enough.error());
    auto records = workloads::SharedArray<JobRecord>::make(static_cast<std::size_t>(options.jobs));
    if (!records) return tl::unexpected(records.error());
    FinishedRun run{options, workloads::cpu_nodes(), std::move(*records),
                    std::vector<ChildEnd>(static_cast<std::size_t>(options.jobs)), Disturbance(options.disturbance)};
    const std::int64_t begin_ns = workloads::monotonic_ns();
    const std::int64_t disturb_ns = begin_ns + static_cast<std::int64_t>(options.disturb_after_s * 1e9);
    if (const auto started = start_jobs(run, children); !started) return tl::unexpected(started.error());
    for (std::size_t left = run.ends.size(); left > 0;) {
        const auto until_ns = run.disturbance.is_due() ? std::optional(disturb_ns) : std::nullopt;
        const auto happening = children.wait(run.disturbance.output_fd(), until_ns);
        run.disturbance.read_output();
        const auto ended = note_ends(run, happening);
        if (!ended) return tl::unexpected(ended.error());
        left -= *ended;
        if (left > 0 && run.disturbance.is_due() && workloads::monotonic_ns() >= disturb_ns)
            if (const auto started = run.disturbance.start(children); !started) return tl::unexpected(started.error());
    }
    run.elapsed_s = workloads::seconds_between(begin_ns, std::ranges::max(run.ends, {}, &ChildEnd::seen_ns).seen_ns);
    return run;
}

}  // namespace pinwise::numa_test
