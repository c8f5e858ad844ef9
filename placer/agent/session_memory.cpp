#include "placer/agent/session_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pinwise {

namespace {

constexpr std::uint64_t session_magic = 0x31657369776e6970U;  // "pinwise1"
constexpr std::uint32_t session_version = 5;
constexpr std::size_t max_machine_bytes = std::size_t{64} << 20U;
constexpr std::size_t max_policy_bytes = std::size_t{1} << 20U;

constexpr std::size_t round_to_line(std::size_t bytes) {
    return (bytes + 63) / 64 * 64;
}
constexpr std::size_t records_offset = round_to_line(sizeof(SessionHeader));
constexpr std::size_t machine_offset = records_offset + sizeof(SharedRecord) * max_session_threads;

std::size_t total_size(std::size_t machine_bytes, std::size_t policy_bytes) {
    return machine_offset + round_to_line(machine_bytes) + policy_bytes;
}

Error system_failure(std::string_view what) {
    return Error{ErrorKind::failure, fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

bool initialise_mutex(pthread_mutex_t& mutex) {
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) return false;
    const bool done = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
                      pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
                      pthread_mutex_init(&mutex, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return done;
}

std::uint64_t random_id() {
    std::uint64_t id = 0;
    if (getrandom(&id, sizeof(id), 0) != static_cast<ssize_t>(sizeof(id))) {
        id = static_cast<std::uint64_t>(getpid()) << 32U ^ reinterpret_cast<std::uintptr_t>(&id);
    }
    return id;
}

/// A new memfd of that size, above the standard descriptors even where those are closed.
int make_file(std::size_t bytes) {
    const int low = memfd_create("pinwise-session", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (low < 0) return -1;
    const int file = fcntl(low, F_DUPFD_CLOEXEC, 3);
    close(low);
    if (file < 0) return -1;
    if (ftruncate(file, static_cast<off_t>(bytes)) != 0 ||
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        close(file);
        return -1;
    }
    return file;
}

bool header_is_sound(const SessionHeader& header, std::size_t file_bytes, std::uint64_t id) {
    return header.magic == session_magic && header.version == session_version &&
           header.record_bytes == sizeof(SharedRecord) && header.id == id && header.total_bytes == file_bytes &&
           header.machine_bytes <= max_machine_bytes && header.policy_bytes <= max_policy_bytes &&
           header.total_bytes == total_size(header.machine_bytes, header.policy_bytes);
}

}  // namespace

void SessionMemory::Unmap::operator()(std::byte* start) const {
    munmap(start, bytes);
}

std::unique_ptr<std::byte, SessionMemory::Unmap> SessionMemory::map(int descriptor, std::size_t bytes) {
    void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (start == MAP_FAILED) return {nullptr, Unmap{}};
    return {static_cast<std::byte*>(start), Unmap{bytes}};
}

Result<SessionMemory> SessionMemory::create(const Contents& contents, int& descriptor) {
    if (contents.machine.size() > max_machine_bytes || contents.policy.size() > max_policy_bytes) {
        return failure("the machine or the policy is too large for a session");
    }
    const std::size_t bytes = total_size(contents.machine.size(), contents.policy.size());
    const int file = make_file(bytes);
    if (file < 0) return tl::unexpected(system_failure("make the session's shared memory"));
    auto mapping = map(file, bytes);
    if (!mapping) {
        auto error = system_failure("map the session's shared memory");
        close(file);
        return tl::unexpected(std::move(error));
    }
    // Fresh pages are zero, which is the initial value of every field not named here.
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the mapping owns it.
    auto* header = new (mapping.get()) SessionHeader;
    header->magic = session_magic;
    header->version = session_version;
    header->record_bytes = sizeof(SharedRecord);
    header->total_bytes = bytes;
    header->id = random_id();
    header->pid_namespace = pinwise::pid_namespace();
    header->machine_bytes = contents.machine.size();
    header->policy_bytes = contents.policy.size();
    header->bind = contents.bind;
    header->created_ns = session_time_ns();
    header->force = contents.force ? 1 : 0;
    header->skipped_births = contents.skipped_births;
    header->cross_node_bal = contents.cross_node_bal;
    header->scan.settings = contents.scan;
    header->scan.anyway = contents.scan_anyway ? 1 : 0;
    if (contents.scan.mode != ScanMode::off) header->scan.state.store(ScanState::waiting, std::memory_order_relaxed);
    header->allowed = contents.allowed;
    header->masks[0] = contents.allowed;
    header->masks_used.store(1, std::memory_order_relaxed);
    if (!initialise_mutex(header->mutex)) {
        close(file);
        return failure("cannot make a robust lock in shared memory");
    }
    SessionMemory memory(std::move(mapping));
    std::ranges::copy(contents.machine, memory.mapping_.get() + machine_offset);
    std::ranges::transform(contents.policy,
                           memory.mapping_.get() + machine_offset + round_to_line(contents.machine.size()),
                           [](char c) { return static_cast<std::byte>(c); });
    descriptor = file;
    return memory;
}

std::optional<SessionMemory> SessionMemory::attach(int descriptor, std::uint64_t id) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || status.st_size < static_cast<off_t>(machine_offset)) return std::nullopt;
    const auto bytes = static_cast<std::size_t>(status.st_size);
    auto mapping = map(descriptor, bytes);
    if (!mapping) return std::nullopt;
    SessionMemory memory(std::move(mapping));
    if (!header_is_sound(memory.header(), bytes, id)) return std::nullopt;
    return memory;
}

SessionHeader& SessionMemory::header() const {
    return *reinterpret_cast<SessionHeader*>(mapping_.get());
}

std::span<SharedRecord> SessionMemory::records() const {
    return {reinterpret_cast<SharedRecord*>(mapping_.get() + records_offset), max_session_threads};
}

std::span<const std::byte> SessionMemory::machine() const {
    return {mapping_.get() + machine_offset, static_cast<std::size_t>(header().machine_bytes)};
}

std::string_view SessionMemory::policy() const {
    const std::byte* start = mapping_.get() + machine_offset + round_to_line(header().machine_bytes);
    return {reinterpret_cast<const char*>(start), static_cast<std::size_t>(header().policy_bytes)};
}

std::string SessionAddress::text() const {
    return fmt::format("{}/{}/{:x}", owner, descriptor, id);
}

std::optional<SessionAddress> SessionAddress::parse(std::string_view text) {
    SessionAddress address;
    const char* end = text.data() + text.size();
    const auto [after_owner, owner_error] = std::from_chars(text.data(), end, address.owner);
    if (owner_error != std::errc{} || after_owner == end || *after_owner != '/') return std::nullopt;
    const auto [after_fd, fd_error] = std::from_chars(after_owner + 1, end, address.descriptor);
    if (fd_error != std::errc{} || after_fd == end || *after_fd != '/') return std::nullopt;
    const auto [after_id, id_error] = std::from_chars(after_fd + 1, end, address.id, 16);
    if (id_error != std::errc{} || after_id != end) return std::nullopt;
    if (address.owner <= 0 || address.descriptor < 0) return std::nullopt;
    return address;
}

namespace {

std::int64_t read_clock_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t session_time_ns() {
    return read_clock_ns(CLOCK_MONOTONIC);
}

std::int64_t own_cpu_time_ns() {
    return read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

std::uint64_t pid_namespace() {
    struct stat status {};
    return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace pinwise
