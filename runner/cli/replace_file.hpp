#pragma once
/// A file that is there whole or not at all.

#include <string>
#include <string_view>

#include "placer/result.hpp"

namespace pinwise::cli {

/// Writes `text` beside `path`, to disk, and renames it into place: a reader sees the old file or the new one, never
/// half. Errors: `path` is no regular file, such as a folder or a device (usage), or the system refuses (failure); then
/// what was at `path` is as it was.
Result<void> replace_file(const std::string& path, std::string_view text);

}  // namespace pinwise::cli
