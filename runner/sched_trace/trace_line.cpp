#include "runner/sched_trace/trace_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace pinwise {
namespace {

constexpr std::string_view blanks = " \t";
constexpr std::int64_t ns_per_s = 1'000'000'000;

struct EventName {
    std::string_view text;
    SchedEvent::Kind kind;
};
constexpr std::array event_names{EventName{"sched_wakeup_new:", SchedEvent::Kind::new_thread},
                                 EventName{"sched_migrate_task:", SchedEvent::Kind::migration}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// All of `text`, decimal whatever its leading zeros.
template <class Integer>
std::optional<Integer> number(std::string_view text) {
    Integer value = 0;
    if (!is_number(text)) return std::nullopt;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{}) return std::nullopt;
    return value;
}

std::string_view trim_left(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text;
}

std::string_view trim_right(std::string_view text) {
    text.remove_suffix(text.size() - (text.find_last_not_of(blanks) + 1));
    return text;
}

/// Takes the last word off `text`, which then ends before the blanks in front of that word.
std::string_view take_last_word(std::string_view& text) {
    text = trim_right(text);
    const std::size_t blank = text.find_last_of(blanks);
    const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
    const std::string_view word = text.substr(begin);
    text = trim_right(text.substr(0, begin));
    return word;
}

/// What stands between the first `open` and the next `close`; empty when there is no such thing.
std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
    const std::size_t at = text.find(open);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + open.size());
    const std::size_t end = text.find(close);
    return end == std::string_view::npos ? std::string_view{} : text.substr(0, end);
}

// ---- the time ----

/// "167.914699" or "167.914699123", in nanoseconds.
std::optional<std::int64_t> seconds_with_fraction(std::string_view text) {
    const std::size_t point = text.find('.');
    if (point == std::string_view::npos) return std::nullopt;
    const auto seconds = number<std::int64_t>(text.substr(0, point));
    std::string_view digits = text.substr(point + 1);
    auto fraction = number<std::int64_t>(digits);
    if (!seconds || !fraction || digits.size() > 9 || *seconds > ns_per_s * 8) return std::nullopt;
    for (std::size_t place = digits.size(); place < 9; ++place)
        *fraction *= 10;
    return *seconds * ns_per_s + *fraction;
}

/// "1769us" or "1769us+" of the latency format: a mark says how long the next event takes to come.
std::optional<std::int64_t> microseconds(std::string_view text) {
    const std::size_t unit = text.find("us");
    if (unit == std::string_view::npos || text.size() > unit + 3) return std::nullopt;
    const auto value = number<std::int64_t>(text.substr(0, unit));
    if (!value || *value > ns_per_s * 8 * 1'000'000) return std::nullopt;
    return *value * 1000;
}

// ---- the prefix: who ran, where and when ----

struct Prefix {
    std::int64_t time_ns = 0;
    int running_tid = -1;
    int running_cpu = -1;
};

/// "stream-5045", "stream-5045 ( 5045)" (ftrace) or "stream  5045", "stream  5044/5045" (perf): the tid.
int running_tid(std::string_view task) {
    task = trim_right(task);
    if (task.ends_with(')')) task = trim_right(task.substr(0, std::min(task.rfind('('), task.size())));
    const std::string_view word = take_last_word(task);
    const std::size_t separator = word.find_last_of("-/");
    return number<int>(separator == std::string_view::npos ? word : word.substr(separator + 1)).value_or(-1);
}

/// "32d..2." of the latency format: the digits are the CPU, a letter or a dot follows them.
std::optional<int> cpu_with_flags(std::string_view word) {
    const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(word, is_digit) - word.begin());
    if (digits == 0 || digits == word.size() || word[digits] == '-') return std::nullopt;
    return number<int>(word.substr(0, digits));
}

void read_task_and_cpu(std::string_view text, Prefix& prefix) {
    const std::size_t open = text.rfind('[');
    const std::size_t close = open == std::string_view::npos ? open : text.find(']', open);
    if (close != std::string_view::npos) {
        prefix.running_cpu = number<int>(text.substr(open + 1, close - open - 1)).value_or(-1);
        if (prefix.running_cpu >= 0) prefix.running_tid = running_tid(text.substr(0, open));
        return;
    }
    std::string_view task = text;
    if (const auto cpu = cpu_with_flags(take_last_word(task)); cpu && !task.empty()) {
        prefix.running_cpu = *cpu;
        prefix.running_tid = running_tid(task);
    }
}

std::string_view without_quotation_marks(std::string_view line) {
    line = trim_left(line);
    while (line.starts_with('>'))
        line = trim_left(line.substr(1));
    return line;
}

/// Everything in front of the event's name. Absent: the name stands in the text of another event. An error has no time.
std::optional<std::variant<Prefix, UnreadableLine>> parse_prefix(std::string_view text) {
    text = without_quotation_marks(text);
    if (text.ends_with("sched:")) text.remove_suffix(6);
    text = trim_right(text);
    if (text.empty()) return UnreadableLine{"no time before the event"};
    if (!text.ends_with(':')) {
        const std::string_view period = take_last_word(text);  // perf script -F +period
        if (!is_number(period) || !text.ends_with(':')) return std::nullopt;
    }
    text.remove_suffix(1);
    const std::string_view time = take_last_word(text);
    if (time.starts_with("(+"))
        return UnreadableLine{"the verbose latency format is not read (echo 0 > options/verbose)"};
    if (time.empty() || !is_digit(time.front())) return std::nullopt;
    auto time_ns = seconds_with_fraction(time);
    if (!time_ns) time_ns = microseconds(time);
    if (!time_ns) return UnreadableLine{fmt::format("\"{}\" is no time in seconds (another trace_clock?)", time)};
    Prefix prefix{.time_ns = *time_ns};
    read_task_and_cpu(text, prefix);
    return prefix;
}

// ---- the fields ----

/// The digits behind the last `key`, and what follows them.
struct Field {
    std::size_t key_at = 0;
    std::string_view digits;
    std::string_view rest;
};

std::optional<Field> last_field(std::string_view text, std::string_view key) {
    const std::size_t at = text.rfind(key);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view behind = text.substr(at + key.size());
    const auto length = static_cast<std::size_t>(std::ranges::find_if_not(behind, is_digit) - behind.begin());
    const std::string_view rest = behind.substr(length);
    if (length == 0 || (!rest.empty() && blanks.find(rest.front()) == std::string_view::npos)) return std::nullopt;
    return Field{at, behind.substr(0, length), rest};
}

/// Takes "KEY=NUMBER" off the end of `text`; false when it does not end so, or in no number that fits.
bool take_number(std::string_view& text, std::string_view key, int& value) {
    const auto field = last_field(text, key);
    if (!field) return false;
    const auto read = number<int>(field->digits);
    if (!read) return false;
    value = *read;
    text = text.substr(0, field->key_at);
    return true;
}

/// `comm=NAME pid=N prio=N ...`: a name may hold anything, also " pid=1", hence from the right.
bool read_named_thread(std::string_view fields, SchedEvent& event) {
    constexpr std::string_view comm = "comm=";
    if (!fields.starts_with(comm) || !take_number(fields, " pid=", event.tid)) return false;
    event.comm = fields.substr(comm.size());
    return true;
}

/// `NAME:PID [PRIO] ...`, as the event formatter of trace-cmd and perf prints wake-ups.
bool read_short_thread(std::string_view fields, SchedEvent& event) {
    const std::size_t priority = fields.rfind(" [");
    if (priority == std::string_view::npos) return false;
    fields = trim_right(fields.substr(0, priority));
    const std::size_t colon = fields.rfind(':');
    if (colon == std::string_view::npos) return false;
    const auto tid = number<int>(fields.substr(colon + 1));
    if (!tid) return false;
    event.tid = *tid;
    event.comm = fields.substr(0, colon);
    return true;
}

/// "{4}{4}" in a remark.
std::vector<int> counts_in(std::string_view remark) {
    std::vector<int> counts;
    remark.remove_prefix(std::min(remark.find('{'), remark.size()));
    while (remark.starts_with('{')) {
        const std::size_t close = remark.find('}');
        const auto count = close == std::string_view::npos ? std::nullopt : number<int>(remark.substr(1, close - 1));
        if (!count) return {};
        counts.push_back(*count);
        remark.remove_prefix(close + 1);
    }
    return counts;
}

/// The fields that every event must have; an empty text: all are there.
std::string_view missing_field(std::string_view fields, SchedEvent& event) {
    const bool is_new = event.kind == SchedEvent::Kind::new_thread;
    const bool is_short = is_new && last_field(fields, " CPU:") && !last_field(fields, " target_cpu=");
    const std::string_view cpu_key = is_short ? " CPU:" : is_new ? " target_cpu=" : " dest_cpu=";
    const auto cpu = last_field(fields, cpu_key);
    if (!cpu || !take_number(fields, cpu_key, event.cpu)) return is_new ? "target_cpu" : "dest_cpu";
    if (!is_new && !take_number(fields, " orig_cpu=", event.from_cpu)) return "orig_cpu";
    const bool read = is_short ? read_short_thread(fields, event) : read_named_thread(fields, event);
    if (!read || event.tid <= 0) return "comm and pid";
    event.stated_counts = counts_in(cpu->rest);
    return {};
}

TraceLine parse_event(std::string_view line, std::size_t at, const EventName& name) {
    auto prefix = parse_prefix(line.substr(0, at));
    if (!prefix) return {};
    if (auto* unreadable = std::get_if<UnreadableLine>(&*prefix)) return std::move(*unreadable);
    const Prefix& read = std::get<Prefix>(*prefix);
    SchedEvent event{.kind = name.kind,
                     .time_ns = read.time_ns,
                     .comm = {},
                     .running_tid = read.running_tid,
                     .running_cpu = read.running_cpu,
                     .stated_counts = {}};
    const std::string_view missing = missing_field(trim_left(line.substr(at + name.text.size())), event);
    if (!missing.empty()) return UnreadableLine{fmt::format("no readable {}", missing)};
    return event;
}

// ---- gaps ----

/// "CPU:3 [LOST 17 EVENTS]" (ftrace), "CPU:3 [17 EVENTS DROPPED]" (trace-cmd), both also without the number.
TraceLine parse_lost(std::string_view line) {
    if (!line.starts_with("CPU:")) return {};
    const std::string_view text = between(line, "[", "]");
    if (!text.starts_with("LOST ") && !text.ends_with("EVENTS DROPPED")) return {};
    const std::size_t begin = std::min(text.find_first_of("0123456789"), text.size());
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    return LostEvents{number<std::int64_t>(text.substr(begin, end - begin))};
}

/// "swapper 0 [003] 12.5: PERF_RECORD_LOST lost 17" of `perf script --show-lost-events`.
TraceLine parse_perf_lost(std::string_view line) {
    const std::size_t at = line.find(": PERF_RECORD_LOST");
    if (at == std::string_view::npos) return {};
    const std::size_t key = line.find(" lost ", at);
    if (key == std::string_view::npos) return LostEvents{};
    return LostEvents{number<std::int64_t>(trim_right(line.substr(key + 6)))};
}

/// "# entries-in-buffer/entries-written: 14/30   #P:8": the buffer wrapped, the oldest 16 are gone.
TraceLine parse_header(std::string_view line) {
    const std::string_view in_buffer = between(line, "entries-in-buffer/entries-written: ", "/");
    const std::size_t slash = line.find('/', line.find(": ") + 1);
    if (in_buffer.empty() || slash == std::string_view::npos) return {};
    const std::string_view behind = line.substr(slash + 1);
    const auto kept = number<std::int64_t>(in_buffer);
    const auto written = number<std::int64_t>(behind.substr(0, std::min(behind.find(' '), behind.size())));
    if (!kept || !written || *written <= *kept) return {};
    return LostEvents{*written - *kept};
}

/// "... 9 migrations"
TraceLine parse_elision(std::string_view line) {
    constexpr std::string_view dots = "...";
    if (!line.starts_with(dots)) return {};
    line = trim_left(line.substr(dots.size()));
    const std::size_t blank = std::min(line.find(' '), line.size());
    const auto count = number<std::int64_t>(line.substr(0, blank));
    if (!count || !trim_left(line.substr(blank)).starts_with("migration")) return {};
    return ElidedMigrations{*count};
}

}  // namespace

TraceLine parse_trace_line(std::string_view line) {
    const std::string_view text = without_quotation_marks(line);
    if (text.starts_with('#')) return parse_header(text);
    for (const EventName& name : event_names)
        if (const std::size_t at = line.find(name.text); at != std::string_view::npos)
            return parse_event(line, at, name);
    for (const auto parse : {parse_lost, parse_perf_lost, parse_elision})
        if (TraceLine read = parse(text); !std::holds_alternative<std::monostate>(read)) return read;
    return {};
}

}  // namespace pinwise
