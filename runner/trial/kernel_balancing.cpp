#include "runner/trial/kernel_balancing.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pinwise {

namespace {

/// What goes through the pipe to the guarding process.
constexpr char value_changed = 'c';
constexpr char value_restored = 'r';

Result<std::string> read_value(const std::string& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return failure(errno == ENOENT ? "this kernel has no NUMA balancing (kernel.numa_balancing is not there)"
                                       : fmt::format("{} cannot be read: {}", file, std::strerror(errno)));
    std::array<char, 16> text{};
    const ssize_t count = ::read(descriptor, text.data(), text.size());
    ::close(descriptor);
    if (count <= 0) return failure(fmt::format("{} cannot be read", file));
    std::string value(text.data(), static_cast<std::size_t>(count));
    value.erase(value.find_last_not_of(" \n") + 1);
    return value;
}

/// 0 or errno. Async-signal-safe: the guarding process has nothing but this.
int write_value(const char* file, const char* value, std::size_t length) {
    const int descriptor = ::open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const int error = ::write(descriptor, value, length) < 0 ? errno : 0;
    ::close(descriptor);
    return error;
}

/// Bit 0 is balancing, bit 1 tiering.
bool is_on(const std::string& value) {
    return !value.empty() && ((value.back() - '0') & 1) != 0;
}

/// Waits until the pipe's other end is gone. Ours alone, and in a session of its own, so that no Ctrl-C reaches it.
[[noreturn]] void guard(int pipe_end, const char* file, const std::string& original) {
    setsid();
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        signal(number, SIG_IGN);
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int standard : {0, 1, 2})
        dup2(nothing, standard);
    bool restore = false;
    char said = 0;
    ssize_t count = 0;
    while ((count = ::read(pipe_end, &said, 1)) == 1 || (count < 0 && errno == EINTR))
        if (count == 1) restore = said == value_changed;
    if (restore) write_value(file, original.data(), original.size());
    _exit(0);
}

/// The guarding process is nobody's child: its parent ends at once.
Result<int> start_guard(const std::string& file, const std::string& original) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return failure(fmt::format("no pipe: {}", std::strerror(errno)));
    const pid_t between = fork();
    if (between == 0) {
        ::close(ends[1]);
        const pid_t guarding = fork();
        if (guarding == 0) guard(ends[0], file.c_str(), original);
        _exit(guarding < 0 ? 1 : 0);
    }
    ::close(ends[0]);
    int status = -1;
    while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR) {
    }
    if (status == 0) return ends[1];
    ::close(ends[1]);
    return failure("no process to put kernel.numa_balancing back after a crash");
}

}  // namespace

std::string why_balancing_cannot_be_set(const std::string& file) {
    if (const auto value = read_value(file); !value) return value.error().message;
    if (access(file.c_str(), W_OK) == 0) return {};
    return fmt::format("{}: {}; it takes root, and a /proc/sys that is not read-only as in many containers", file,
                       std::strerror(errno));
}

Result<KernelBalancing> KernelBalancing::open(const std::string& file) {
    auto original = read_value(file);
    if (!original) return tl::unexpected<Error>(original.error());
    const auto pipe_end = start_guard(file, *original);
    if (!pipe_end) return tl::unexpected<Error>(pipe_end.error());
    return KernelBalancing(file, *std::move(original), *pipe_end);
}

KernelBalancing::KernelBalancing(KernelBalancing&& other) noexcept
    : file_(std::move(other.file_)),
      original_(std::move(other.original_)),
      guard_(std::exchange(other.guard_, -1)),
      changed_(std::exchange(other.changed_, false)) {}

KernelBalancing::~KernelBalancing() {
    if (guard_ < 0) return;
    // Left to the guarding process where it does not work here; it may not work there either.
    if (changed_ && write_value(file_.c_str(), original_.data(), original_.size()) == 0) [[maybe_unused]]
        const ssize_t sent = ::write(guard_, &value_restored, 1);
    ::close(guard_);
}

Result<void> KernelBalancing::set(bool on) {
    const auto now = read_value(file_);
    if (!now) return tl::unexpected<Error>(now.error());
    if (is_on(*now) == on) return {};
    // First the guarding process knows, then there is something to guard.
    if (::write(guard_, &value_changed, 1) != 1)
        return failure("kernel.numa_balancing is left alone: nobody would put it back after a crash");
    changed_ = true;
    const std::string value = on ? "1" : "0";
    if (const int error = write_value(file_.c_str(), value.data(), value.size()); error != 0)
        return failure(
            fmt::format("kernel.numa_balancing cannot be set to {}: {}; it takes root", value, std::strerror(error)));
    return {};
}

}  // namespace pinwise
