#include "runner/cli/record_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/cli/session_record.hpp"

namespace pinwise::cli {

namespace {

tl::unexpected<Error> cannot(std::string_view option_and_path, std::string_view why) {
    return usage_error(fmt::format("{}: {}", option_and_path, why));
}

/// Behind a symbolic link, so that the link stays.
std::string file_behind(const std::string& path) {
    std::error_code error;
    const auto target = std::filesystem::canonical(path, error);
    return error ? path : target.string();
}

}  // namespace

Result<RecordFile> RecordFile::open(std::string_view option, const std::string& path, bool overwrite) {
    RecordFile record;
    record.path_ = fmt::format("{} {}", option, path);
    record.overwrite_ = overwrite;
    if (path == "-") {
        record.file_ = Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
        if (!record.is_open()) return cannot(record.path_, std::strerror(errno));
        return record;
    }
    struct stat status {};
    const bool exists = stat(path.c_str(), &status) == 0;
    if (exists && S_ISREG(status.st_mode)) {
        if (!overwrite) return cannot(record.path_, "exists: choose another name, or add --overwrite");
        if (access(path.c_str(), W_OK) != 0) return cannot(record.path_, std::strerror(errno));
    }
    if (exists && !S_ISREG(status.st_mode)) {
        record.file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (!record.is_open()) return cannot(record.path_, std::strerror(errno));
        return record;
    }
    const std::string name = file_behind(path);
    const std::string part = name + ".part";
    record.file_ = Descriptor(::open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (!record.is_open()) return cannot(record.path_, std::strerror(errno));
    if (flock(record.file_.get(), LOCK_EX | LOCK_NB) != 0)
        return cannot(record.path_, fmt::format("another run is writing {}", part));
    if (ftruncate(record.file_.get(), 0) != 0) return cannot(record.path_, std::strerror(errno));
    record.name_ = name;
    record.part_ = part;
    return record;
}

RecordFile::RecordFile(RecordFile&& other) noexcept
    : path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      part_(std::exchange(other.part_, {})),
      file_(std::move(other.file_)),
      overwrite_(other.overwrite_) {}

RecordFile& RecordFile::operator=(RecordFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(name_, other.name_);
    std::swap(part_, other.part_);
    std::swap(file_, other.file_);
    std::swap(overwrite_, other.overwrite_);
    return *this;
}

RecordFile::~RecordFile() {
    if (!part_.empty()) unlink(part_.c_str());
}

Result<void> RecordFile::commit(std::string_view text) {
    int error = write_all(file_.get(), text);
    // Pipes and terminals have nothing to sync.
    if (error == 0 && !name_.empty() && fsync(file_.get()) != 0) error = errno;
    if (error != 0) return failure(fmt::format("{}: {}", path_, std::strerror(error)));
    return name_.empty() ? Result<void>{} : give_name();
}

Result<void> RecordFile::give_name() {
    int result = -1;
    if (!overwrite_) {
        result = renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, name_.c_str(), RENAME_NOREPLACE);
        if (result != 0 && errno == EEXIST) {
            const std::string kept = std::exchange(part_, {});
            return failure(fmt::format("{}: the file appeared meanwhile; the record is in {}", path_, kept));
        }
    }
    // Also for file systems that cannot exclude a replacement.
    if (result != 0) result = std::rename(part_.c_str(), name_.c_str());
    if (result != 0) return failure(fmt::format("{}: {}", path_, std::strerror(errno)));
    part_.clear();
    return {};
}

}  // namespace pinwise::cli
