#pragma once
/// The file behind `exec --record` and `--moves`. It appears complete, under its name, when the run is over: a run that is killed
/// leaves the name as it was.

#include <string>
#include <string_view>

#include "placer/agent/descriptor.hpp"
#include "placer/result.hpp"

namespace pinwise::cli {

class RecordFile {
public:
    /// Nothing is recorded.
    RecordFile() = default;
    /// Opened before the program runs, so that a path that cannot be written costs no run: PATH.part, which commit()
    /// renames. "-" is standard output; devices and pipes are written to directly.
    /// Errors (usage): it cannot be written, another run writes it, or it exists and `overwrite` was not said.
    /// `option`: as the user knows it, for messages.
    static Result<RecordFile> open(std::string_view option, const std::string& path, bool overwrite);

    RecordFile(RecordFile&& other) noexcept;
    RecordFile& operator=(RecordFile&& other) noexcept;
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;
    ~RecordFile();

    [[nodiscard]] bool is_open() const { return file_.get() >= 0; }
    /// All of it. Errors (failure): the disk refused it.
    Result<void> commit(std::string_view text);

private:
    Result<void> give_name();

    std::string path_;  ///< as the user wrote it, with the option
    std::string name_;  ///< the file to become; empty: written to directly
    std::string part_;  ///< what is written until then; empty: nothing to be removed
    Descriptor file_;
    bool overwrite_ = false;
};

}  // namespace pinwise::cli
