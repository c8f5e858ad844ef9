#pragma once
/// A file that only grows, and whose content is on disk when append() returns.

#include <cstddef>
#include <string>
#include <string_view>

#include "placer/result.hpp"

namespace pinwise {

class DurableFile {
public:
    /// Creates it; one that exists already is an error.
    static Result<DurableFile> create(const std::string& path);
    /// Opens one that is there.
    static Result<DurableFile> open(const std::string& path);
    DurableFile(DurableFile&& other) noexcept;
    DurableFile& operator=(DurableFile&& other) noexcept;
    DurableFile(const DurableFile&) = delete;
    DurableFile& operator=(const DurableFile&) = delete;
    ~DurableFile();

    /// One write() and fsync(). When the disk refuses a part, the file is cut back to what it was and the error
    /// (failure) names the file and the cause: what was appended before is never damaged.
    Result<void> append(std::string_view text);

    /// Cuts off what lies beyond `bytes`, durably.
    Result<void> cut(std::size_t bytes);

    /// Takes the file for this program, until it is closed or its process ends, however it ends. False: somebody else
    /// has it.
    Result<bool> lock();

private:
    DurableFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
    std::string path_;
    int fd_ = -1;
};

/// Makes the names in a folder durable.
Result<void> sync_folder(const std::string& path);

}  // namespace pinwise
