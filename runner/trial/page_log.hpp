#pragma once
/// On which nodes the memory of a program is, over time: by /proc/PID/numa_maps, so of any program.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/types.h>

namespace pinwise {

class PageLog {
public:
    /// `root` is "" for this machine, or a folder with proc/ in it.
    explicit PageLog(pid_t program, std::string root = "");

    /// Takes a sample when it is time to: about once a second, and so that looking takes at most 1/200 of the time (the
    /// kernel walks all page tables of the program for it, and keeps its memory map locked meanwhile).
    void look();

    /// {"source", "page_bytes", "samples": [{"time_s", "pages_on_node": {"0": n}}], "reason"}. The program's anonymous
    /// memory in base pages; the last sample is at most a pause before its end. `reason` says why there is none.
    [[nodiscard]] nlohmann::ordered_json document() const;

private:
    struct Sample {
        double time_s = 0;
        std::vector<std::uint64_t> pages_on_node;
    };

    std::string file_;
    std::int64_t start_ns_;
    std::int64_t next_ns_ = 0;
    std::vector<Sample> samples_;
    std::string reason_;
};

}  // namespace pinwise
