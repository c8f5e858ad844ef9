#include "runner/sched_trace/sched_trace.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/sched_trace/trace_reader.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> instance_folders{"/sys/kernel/tracing/instances",
                                                           "/sys/kernel/debug/tracing/instances"};
constexpr std::string_view instance_prefix = "pinwise-";

/// Per CPU. An event takes about 60 bytes: 64 KiB hold a thousand threads created on one CPU. The migrations of a whole
/// system are read four times a second, of which a megabyte holds some 17000; 256 MiB are the most for all CPUs.
long buffer_kib(SchedTrace::Scope scope) {
    if (scope == SchedTrace::Scope::new_threads_of_descendants) return 64;
    constexpr long most_of_all_cpus = 256L * 1024;
    return std::clamp(most_of_all_cpus / std::max(1L, sysconf(_SC_NPROCESSORS_CONF)), 64L, 1024L);
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
        int owner = 0;
        const char* const end = name.data() + name.size();
        const auto [stop, status] = std::from_chars(name.data() + instance_prefix.size(), end, owner);
        if (status != std::errc{} || stop != end || owner <= 0) continue;
        if (::kill(owner, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
    }
}

/// Events bear the thread numbers of the initial PID namespace, whose inode number is fixed (include/linux/proc_ns.h).
bool thread_numbers_are_ours() {
    constexpr std::string_view initial = "pid:[4026531836]";
    std::error_code error;
    const fs::path ours = fs::read_symlink("/proc/self/ns/pid", error);
    return error || ours.string() == initial;
}

}  // namespace

Result<SchedTrace> SchedTrace::open(Scope scope) {
    if (!thread_numbers_are_ours())
        return failure("no tracepoints in a PID namespace: the kernel's thread numbers are not ours");
    std::string why;
    for (const std::string_view instances : instance_folders) {
        remove_stale_instances(instances);
        std::string folder = fmt::format("{}/{}{}", instances, instance_prefix, getpid());
        if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
            why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", instances, std::system_category().message(errno));
            continue;
        }
        SchedTrace trace(std::move(folder));  // from here on the destructor removes it
        if (const auto enabled = trace.enable(scope); !enabled) return tl::unexpected<Error>(enabled.error());
        return trace;
    }
    return failure(fmt::format("no tracefs instance ({})", why));
}

SchedTrace& SchedTrace::operator=(SchedTrace&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(freed_with_us_, other.freed_with_us_);
    return *this;
}

SchedTrace::~SchedTrace() {
    if (folder_.empty()) return;
    stop();
    freed_with_us_ = Descriptor();  // it would keep the instance
    ::rmdir(folder_.c_str());
}

void SchedTrace::stop() const {
    (void)write_value(folder_ + "/tracing_on", "0", 0);
}

Result<void> SchedTrace::enable(Scope scope) {
    const std::string buffers = folder_ + "/free_buffer";
    freed_with_us_ = Descriptor(::open(buffers.c_str(), O_WRONLY | O_CLOEXEC));
    if (freed_with_us_.get() < 0) return failure(fmt::format("{}: {}", buffers, std::system_category().message(errno)));
    std::vector<std::pair<std::string_view, std::string>> settings{
        {"options/disable_on_free", "1"},
        {"buffer_size_kb", fmt::format("{}", buffer_kib(scope))},
        {"trace_clock", "mono"},
        {"events/sched/sched_wakeup_new/enable", "1"},
    };
    if (scope == Scope::everything) {
        settings.emplace_back("events/sched/sched_migrate_task/enable", "1");
    } else {
        // The event fires in the creator's context: tracing this thread and, by event-fork, everything born of it.
        settings.emplace_back("options/event-fork", "1");
        settings.emplace_back("set_event_pid", fmt::format("{}", gettid()));
    }
    settings.emplace_back("tracing_on", "1");
    for (const auto& [file, value] : settings)
        if (auto written = write_value(fmt::format("{}/{}", folder_, file), value, 0); !written) return written;
    return {};
}

// Opening `trace` with truncation is how tracefs is told to forget.
void SchedTrace::clear() {
    (void)write_value(folder_ + "/trace", "", O_TRUNC);
}

std::vector<SchedEvent> SchedTrace::read() const {
    const std::string file = folder_ + "/trace";
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return events_of(text.str(), file).value_or(std::vector<SchedEvent>{});
}

}  // namespace pinwise
