#pragma once
/// The file behind `exec --record`, `exec --moves` and `trace --output`. It appears complete, under its name, when the
/// run is over: a run that is killed leaves the name as it was.

#include <string>
#include <string_view>

#include "placer/agent/descriptor.hpp"
#include "placer/result.hpp"

namespace pinwise::cli {

class RecordFile {
public:
    enum class Existing : bool { refused, replaced };

    /// Nothing is recorded.
    RecordFile() = default;
    /// Opened before the program runs, so that a path that cannot be written costs no run: PATH.part, which commit()
    /// renames. "-" is standard output; devices and pipes are written to directly.
    /// `option` is what the user wrote the path behind, for messages.
    /// Errors (usage): it cannot be written, another run writes it, or it exists and is not to be replaced.
    static Result<RecordFile> open(std::string_view option, const std::string& path, Existing existing);

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

    std::string label_;  ///< what the user calls it
    std::string name_;   ///< the file to become; empty: written to directly
    std::string part_;   ///< what is written until then; empty: nothing to be removed
    Descriptor file_;
    Existing existing_ = Existing::refused;
};

}  // namespace pinwise::cli
