#include "runner/sched_trace/trace_reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace pinwise {
namespace {

/// The begin of a line for a message, control characters replaced.
std::string excerpt(std::string_view line) {
    constexpr std::size_t most = 100;
    std::string text(line.substr(0, most));
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
    return line.size() > most ? text + "..." : text;
}

/// Whether the end of the input may have cut a number of this line.
bool may_be_cut(std::string_view line, const TraceLine& read) {
    const bool ours = std::holds_alternative<SchedEvent>(read) || std::holds_alternative<ElidedMigrations>(read);
    return !ours || (line.back() >= '0' && line.back() <= '9');
}

}  // namespace

TraceReader::TraceReader(std::string name, EventHandler handler)
    : name_(std::move(name)), handler_(std::move(handler)) {}

tl::unexpected<Error> TraceReader::mistake(std::string_view what) const {
    return usage_error(fmt::format("{}:{}: {}", name_, line_, what));
}

Result<void> TraceReader::add(std::string_view piece) {
    while (!piece.empty()) {
        const std::size_t end = piece.find('\n');
        const std::string_view part = piece.substr(0, end);
        if (begun_.size() + part.size() > max_line_bytes) {
            ++line_;
            return mistake(fmt::format("a line of more than {} bytes: this is no trace", max_line_bytes));
        }
        if (end == std::string_view::npos) {
            begun_ += part;
            return {};
        }
        // Most lines come in one piece and need no copy.
        std::string_view line = part;
        if (!begun_.empty()) line = begun_ += part;
        if (auto taken = take_line(line); !taken) return taken;
        begun_.clear();
        piece.remove_prefix(end + 1);
    }
    return {};
}

Result<void> TraceReader::finish() {
    const std::string line = std::exchange(begun_, {});
    if (line.find_first_not_of(" \t\r") == std::string::npos) return {};
    if (line.find('\0') == std::string::npos && may_be_cut(line, parse_trace_line(line))) {
        gaps_.cut_off_line = line_ + 1;
        return {};
    }
    return take_line(line);
}

Result<void> TraceReader::take_line(std::string_view line) {
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find('\0') != std::string_view::npos)
        return mistake(
            "a NUL byte: this is no text, or damaged (trace.dat needs `trace-cmd report`, perf.data `perf script`)");
    const TraceLine read = parse_trace_line(line);
    if (const auto* event = std::get_if<SchedEvent>(&read)) return take_event(*event);
    if (const auto* unreadable = std::get_if<UnreadableLine>(&read))
        return mistake(fmt::format("{}: \"{}\"", unreadable->reason, excerpt(line)));
    if (const auto* lost = std::get_if<LostEvents>(&read)) {
        gaps_.lost_events += lost->count.value_or(0);
        gaps_.lost_uncounted |= !lost->count;
    }
    if (const auto* elided = std::get_if<ElidedMigrations>(&read)) gaps_.elided_migrations += elided->count;
    return {};
}

Result<void> TraceReader::take_event(const SchedEvent& event) {
    if (events_ > 0 && event.time_ns < last_time_ns_) ++gaps_.out_of_order;
    last_time_ns_ = event.time_ns;
    ++events_;
    if (auto handled = handler_(event); !handled) return mistake(handled.error().message);
    return {};
}

Result<void> read_trace(int descriptor, const std::string& name, TraceReader& reader) {
    std::array<char, 1 << 16> buffer{};
    while (true) {
        const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return failure(fmt::format("{}: {}", name, std::strerror(errno)));
        if (count == 0) return reader.finish();
        if (auto added = reader.add({buffer.data(), static_cast<std::size_t>(count)}); !added) return added;
    }
}

Result<std::vector<SchedEvent>> events_of(std::string_view text, const std::string& name) {
    std::vector<SchedEvent> events;
    TraceReader reader(name, [&events](const SchedEvent& event) -> Result<void> {
        events.push_back(event);
        return {};
    });
    auto read = reader.add(text);
    if (read) read = reader.finish();
    if (!read) return tl::unexpected<Error>(read.error());
    return events;
}

}  // namespace pinwise
