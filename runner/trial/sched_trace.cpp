#include "runner/trial/sched_trace.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pinwise {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> instance_folders{"/sys/kernel/tracing/instances",
                                                           "/sys/kernel/debug/tracing/instances"};
constexpr std::string_view instance_prefix = "pinwise-";
/// Per CPU; an event takes about 60 bytes, so this holds a thousand threads created on one CPU.
constexpr std::string_view buffer_kib = "64";

std::optional<int> integer_after(std::string_view text, std::string_view key) {
    const std::size_t at = text.rfind(key);
    if (at == std::string_view::npos) return std::nullopt;
    int value = 0;
    const char* const begin = text.data() + at + key.size();
    const auto [end, status] = std::from_chars(begin, text.data() + text.size(), value);
    if (status != std::errc{} || value < 0) return std::nullopt;
    return value;
}

std::optional<WakeupNew> parse_line(std::string_view line) {
    constexpr std::string_view event = "sched_wakeup_new: comm=";
    const std::size_t at = line.find(event);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view fields = line.substr(at + event.size());
    const std::size_t comm_end = fields.rfind(" pid=");
    const auto pid = integer_after(fields, " pid=");
    const auto cpu = integer_after(fields, " target_cpu=");
    if (comm_end == std::string_view::npos || !pid || !cpu) return std::nullopt;
    return WakeupNew{std::string(fields.substr(0, comm_end)), *pid, *cpu};
}

/// tracefs files want one write() of the whole value.
Result<void> write_value(const std::string& file, std::string_view value, int flags) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | flags);
    if (fd < 0) return failure(fmt::format("{}: {}", file, std::system_category().message(errno)));
    const ssize_t written = ::write(fd, value.data(), value.size());
    const int error = errno;
    ::close(fd);
    if (written != static_cast<ssize_t>(value.size()))
        return failure(fmt::format("{}: {}", file, std::system_category().message(error)));
    return {};
}

/// Instances whose owner was killed before it could remove them.
void remove_stale_instances(const fs::path& folder) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(instance_prefix)) continue;
        const auto owner = integer_after(name, instance_prefix);
        if (owner && *owner > 0 && ::kill(*owner, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
    }
}

}  // namespace

std::vector<WakeupNew> parse_sched_wakeup_new(std::string_view trace_text) {
    std::vector<WakeupNew> events;
    while (!trace_text.empty()) {
        const std::size_t end = std::min(trace_text.find('\n'), trace_text.size());
        if (auto event = parse_line(trace_text.substr(0, end))) events.push_back(*std::move(event));
        trace_text.remove_prefix(std::min(end + 1, trace_text.size()));
    }
    return events;
}

void apply_wakeups(std::span<const WakeupNew> wakeups, std::vector<ThreadRecord>& threads) {
    for (ThreadRecord& thread : threads) {
        const bool known_better =
            thread.first_cpu_means == FirstCpuMeans::agent || thread.first_cpu_means == FirstCpuMeans::tracepoint;
        if (known_better || thread.tid == thread.pid) continue;
        const auto found = std::ranges::find(wakeups, thread.tid, &WakeupNew::pid);
        if (found == wakeups.end()) continue;
        thread.first_cpu = found->target_cpu;
        thread.first_cpu_means = FirstCpuMeans::tracepoint;
    }
}

Result<SchedTrace> SchedTrace::open() {
    std::string why;
    for (const std::string_view instances : instance_folders) {
        remove_stale_instances(instances);
        std::string folder = fmt::format("{}/{}{}", instances, instance_prefix, getpid());
        if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
            why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", instances, std::system_category().message(errno));
            continue;
        }
        SchedTrace trace(std::move(folder));  // from here on the destructor removes it
        if (const auto enabled = trace.enable(); !enabled) return tl::unexpected<Error>(enabled.error());
        return trace;
    }
    return failure(fmt::format("no tracefs instance ({})", why));
}

SchedTrace::SchedTrace(SchedTrace&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

SchedTrace& SchedTrace::operator=(SchedTrace&& other) noexcept {
    std::swap(folder_, other.folder_);
    return *this;
}

SchedTrace::~SchedTrace() {
    if (folder_.empty()) return;
    (void)write_value(folder_ + "/tracing_on", "0", 0);
    ::rmdir(folder_.c_str());
}

Result<void> SchedTrace::enable() const {
    // The event fires in the creator's context: tracing this thread and, by event-fork, everything born of it.
    const std::array<std::pair<std::string_view, std::string>, 5> settings{{
        {"buffer_size_kb", std::string(buffer_kib)},
        {"options/event-fork", "1"},
        {"set_event_pid", fmt::format("{}", gettid())},
        {"events/sched/sched_wakeup_new/enable", "1"},
        {"tracing_on", "1"},
    }};
    for (const auto& [file, value] : settings)
        if (auto written = write_value(fmt::format("{}/{}", folder_, file), value, 0); !written) return written;
    return {};
}

// Opening `trace` with truncation is how tracefs is told to forget.
void SchedTrace::clear() {
    (void)write_value(folder_ + "/trace", "", O_TRUNC);
}

std::vector<WakeupNew> SchedTrace::read() const {
    std::ifstream stream(folder_ + "/trace");
    std::ostringstream text;
    text << stream.rdbuf();
    return parse_sched_wakeup_new(text.str());
}

}  // namespace pinwise
