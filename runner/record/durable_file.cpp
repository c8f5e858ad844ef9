#include "runner/record/durable_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace pinwise {
namespace {

tl::unexpected<Error> system_failure(std::string_view what, const std::string& path, int error) {
    return failure(fmt::format("{} {}: {}", what, path, std::system_category().message(error)));
}

}  // namespace

Result<DurableFile> DurableFile::create(const std::string& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) return system_failure("cannot create", path, errno);
    return DurableFile(path, fd);
}

Result<DurableFile> DurableFile::open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0) return system_failure("cannot open", path, errno);
    return DurableFile(path, fd);
}

DurableFile::DurableFile(DurableFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

DurableFile& DurableFile::operator=(DurableFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(fd_, other.fd_);
    return *this;
}

DurableFile::~DurableFile() {
    if (fd_ >= 0) ::close(fd_);
}

Result<void> DurableFile::append(std::string_view text) {
    const off_t before = ::lseek(fd_, 0, SEEK_END);
    ssize_t written = 0;
    do {
        written = ::write(fd_, text.data(), text.size());
    } while (written < 0 && errno == EINTR);
    int error = written < 0 ? errno : 0;
    if (error == 0 && static_cast<std::size_t>(written) != text.size())
        error = ENOSPC;  // a regular file is only cut short by a limit
    if (error == 0 && ::fsync(fd_) != 0) error = errno;
    if (error == 0) return {};
    if (before >= 0 && ::ftruncate(fd_, before) != 0)
        return system_failure("cannot write, and the last rows may be incomplete:", path_, error);
    return system_failure("cannot write", path_, error);
}

Result<void> DurableFile::cut(std::size_t bytes) {
    if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0 || ::fsync(fd_) != 0)
        return system_failure("cannot shorten", path_, errno);
    return {};
}

Result<bool> DurableFile::lock() {
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno == EWOULDBLOCK) return false;
    return system_failure("cannot lock", path_, errno);
}

Result<void> sync_folder(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return system_failure("cannot open", path, errno);
    const int status = ::fsync(fd);
    const int error = errno;
    ::close(fd);
    // Some file systems cannot fsync a folder and say EINVAL: their names are as durable as they get.
    if (status != 0 && error != EINVAL) return system_failure("cannot sync", path, error);
    return {};
}

}  // namespace pinwise
