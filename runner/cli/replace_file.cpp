#include "runner/cli/replace_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "placer/quoted.hpp"
#include "runner/record/durable_file.hpp"

namespace pinwise::cli {

namespace {

namespace fs = std::filesystem;

Result<void> write_whole(const fs::path& path, std::string_view text) {
    auto file = DurableFile::create(path.string());
    if (!file) return tl::unexpected(file.error());
    return file->append(text);
}

}  // namespace

Result<void> replace_file(const std::string& path, std::string_view text) {
    if (path.empty()) return usage_error("the name of the file to write is empty");
    std::error_code error;
    // What a symbolic link points to is replaced, not the link.
    fs::path target = fs::weakly_canonical(path, error);
    if (error || target.empty()) target = path;
    if (const auto status = fs::status(target, error); fs::exists(status) && !fs::is_regular_file(status))
        return usage_error(fmt::format("{} is no regular file: name a file to write", in_quotes(path)));
    const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
    if (access(folder.c_str(), W_OK) != 0)
        return usage_error(fmt::format("cannot write {}: {}", in_quotes(path), std::strerror(errno)));
    fs::path unfinished = target;
    unfinished += fmt::format(".unfinished-{}", getpid());
    if (auto written = write_whole(unfinished, text); !written) {
        fs::remove(unfinished, error);
        return tl::unexpected(written.error());
    }
    fs::rename(unfinished, target, error);
    if (error) {
        const std::string reason = error.message();
        fs::remove(unfinished, error);
        return failure(fmt::format("cannot write {}: {}", in_quotes(path), reason));
    }
    return sync_folder(folder);
}

}  // namespace pinwise::cli
