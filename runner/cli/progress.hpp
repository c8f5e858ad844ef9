#pragma once
/// Live progress of a run on stderr: one rewritten line on a terminal, plain lines otherwise.

#include <cstdint>

#include "runner/trial/trial.hpp"

namespace pinwise::cli {

class Progress {
public:
    enum class Style : std::uint8_t { none, plain, terminal };

    Progress(Style style, int trials);
    /// plain or terminal, by what stderr is.
    static Style style_of_stderr();

    void before(const TrialSpec& spec);
    void after(const TrialSpec& spec, const TrialResult& result);
    /// Clears the rewritten line.
    void finish();

private:
    [[nodiscard]] std::string times(int done) const;

    Style style_;
    int trials_;
    std::int64_t start_ns_;
};

/// "stream, 8 threads, idlest, cpus all, bind cpu"
std::string describe(const TrialSpec& spec);

}  // namespace pinwise::cli
