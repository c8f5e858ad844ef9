#pragma once
/// A trace of any length, line by line in constant memory: hands on every event, and knows what is missing.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "placer/result.hpp"
#include "runner/sched_trace/trace_line.hpp"

namespace pinwise {

/// What a trace itself says, or shows, to be missing from it.
struct TraceGaps {
    std::int64_t lost_events = 0;        ///< that the tracer counted
    bool lost_uncounted = false;         ///< it lost some and did not count them
    std::int64_t elided_migrations = 0;  ///< left out by hand
    std::int64_t out_of_order = 0;       ///< events older than the one before them
    std::int64_t cut_off_line = 0;       ///< number of a last line without end, which was left out; 0: none
};

/// Takes the events in the trace's order. An error ends the reading and gets file and line in front.
using EventHandler = std::function<Result<void>(const SchedEvent&)>;

class TraceReader {
public:
    /// Longest line; anything longer is no trace.
    static constexpr std::size_t max_line_bytes = 65536;

    /// `name` is what messages call the input.
    TraceReader(std::string name, EventHandler handler);

    /// The next piece of the input, cut anywhere.
    /// Errors (usage, "NAME:LINE: ..."): an event that cannot be read, a NUL byte, a line that is too long, what the
    /// handler refuses.
    Result<void> add(std::string_view piece);
    /// The end of the input. A last line without an end is left out where its last number may be cut off.
    Result<void> finish();

    [[nodiscard]] const TraceGaps& gaps() const { return gaps_; }
    [[nodiscard]] std::int64_t events() const { return events_; }

private:
    Result<void> take_line(std::string_view line);
    Result<void> take_event(const SchedEvent& event);
    [[nodiscard]] tl::unexpected<Error> mistake(std::string_view what) const;

    std::string name_;
    EventHandler handler_;
    TraceGaps gaps_;
    std::string begun_;  ///< a line whose end has not come yet
    std::int64_t line_ = 0;
    std::int64_t events_ = 0;
    std::int64_t last_time_ns_ = 0;
};

/// Reads a descriptor to its end. Failure: a read error.
Result<void> read_trace(int descriptor, const std::string& name, TraceReader& reader);

/// All events of a text.
Result<std::vector<SchedEvent>> events_of(std::string_view text, const std::string& name);

}  // namespace pinwise
