#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "placer/agent/descriptor.hpp"
#include "placer/topology/load_machine.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/cpu_options.hpp"
#include "runner/cli/decimal_number.hpp"
#include "runner/cli/foreground.hpp"
#include "runner/cli/record_file.hpp"
#include "runner/cli/trace_record.hpp"
#include "runner/cli/trace_report.hpp"

namespace pinwise::cli {

namespace {

struct TraceOptions {
    std::string input;  ///< the file, or with --record the program
    std::vector<std::string> arguments;
    bool record = false;
    CpuOptions cpus;
    std::string topology = "live";
    ThreadFilter filter;
    std::string format = "text";
    std::string output;
    std::string raw_file;
};

/// `rest` is everything that is no option of ours, a "--" included.
Result<void> take_arguments(std::vector<std::string> rest, TraceOptions& options) {
    const bool separated = !rest.empty() && rest.front() == "--";
    if (!rest.empty() && !separated)
        return usage_error(fmt::format("trace: {} \"{}\"{}",
                                       rest.front().starts_with('-') ? "unknown option" : "unexpected", rest.front(),
                                       options.record ? ": put -- before the command" : ""));
    if (options.record && !separated)
        return usage_error("trace: put -- before the command: pinwise trace --record [OPTIONS] -- COMMAND");
    if (options.input.empty())
        return usage_error(options.record ? "trace: no command to record"
                                          : "trace: no file to read (-: standard input)");
    if (!options.record && separated) return usage_error("trace: a command is only run with --record");
    if (separated) options.arguments.assign(rest.begin() + 1, rest.end());
    if (!options.record && (options.cpus.list || options.cpus.allow_missing || !options.raw_file.empty()))
        return usage_error("trace: -C, --allow-missing and --raw belong to --record");
    if (options.record && (options.topology != "live" || options.filter.tid != 0))
        return usage_error("trace: --topology and --pid have no meaning with --record: it runs here and is followed");
    return {};
}

Result<TraceReport> read_report(const Machine& machine, const TraceOptions& options) {
    const bool standard_input = options.input == "-";
    const std::string name = standard_input ? "standard input" : options.input;
    const Descriptor file(standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                         : open(options.input.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return usage_error(fmt::format("{}: {}", name, std::strerror(errno)));
    HistoryBuilder builder(machine, options.filter);
    TraceReader reader(name, [&builder](const SchedEvent& event) { return builder.add(event); });
    if (auto read = read_trace(file.get(), name, reader); !read) return tl::unexpected(read.error());
    if (reader.events() == 0)
        return usage_error(
            fmt::format("{}: no sched_wakeup_new or sched_migrate_task in it; see docs/trace.md for how to "
                        "record them",
                        name));
    TraceReport report{.source = name, .history = builder.finish(reader.gaps()), .gaps = {}};
    if (report.history.threads.empty())
        return usage_error(fmt::format("{}: none of its {} events is of the threads asked for (--comm, --pid)", name,
                                       reader.events()));
    report.gaps = describe_gaps(reader.gaps(), report.history);
    return report;
}

Result<RecordFile> open_output(const std::string& path) {
    return RecordFile::open("--output", path.empty() ? "-" : path, true);
}

Result<void> print(const TraceReport& report, const Machine& machine, const TraceOptions& options, RecordFile& output) {
    for (const std::string& gap : report.gaps)
        fmt::print(stderr, "pinwise: note: {}\n", gap);
    const auto format = options.format == "json"  ? format_trace_json
                        : options.format == "csv" ? format_trace_csv
                                                  : format_trace_text;
    return output.commit(format(report, machine));
}

Result<void> read(const TraceOptions& options) {
    const auto machine = load_machine(options.topology);
    if (!machine) return tl::unexpected(machine.error());
    const auto report = read_report(*machine, options);
    if (!report) return tl::unexpected(report.error());
    auto output = open_output(options.output);
    if (!output) return tl::unexpected(output.error());
    return print(*report, *machine, options, *output);
}

/// Returns the status to end with.
Result<int> record(const TraceOptions& options) {
    const auto machine = load_machine("live");
    if (!machine) return tl::unexpected(machine.error());
    TraceRecordOptions recording{
        .command = {options.input}, .cpus = {}, .comm = options.filter.comm, .raw_file = options.raw_file};
    recording.command.insert(recording.command.end(), options.arguments.begin(), options.arguments.end());
    if (options.cpus.list) {
        auto allowed = allowed_cpus(*machine, options.cpus);
        if (!allowed) return tl::unexpected(allowed.error());
        recording.cpus = std::move(*allowed);
    }
    // Before the program runs, so that a path that cannot be written costs no run.
    auto output = open_output(options.output);
    if (!output) return tl::unexpected(output.error());
    auto recorded = record_trace(*machine, recording);
    if (!recorded) return tl::unexpected(recorded.error());
    Result<void> printed;
    if (recorded->report) {
        printed = print(*recorded->report, *machine, options, *output);
    } else {
        printed = tl::unexpected(recorded->report.error());
    }
    const bool program_failed = recorded->wait_status != 0;
    if (!printed && !program_failed) return tl::unexpected(printed.error());
    if (!printed) fmt::print(stderr, "pinwise: {}\n", printed.error().message);
    return end_like(recorded->wait_status);
}

void run_trace(const TraceOptions& options, Outcome& outcome) {
    if (!options.record) {
        if (const auto done = read(options); !done) report(done.error(), outcome);
        return;
    }
    const auto status = record(options);
    if (!status) return report(status.error(), outcome);
    outcome.status = *status;
}

}  // namespace

void add_trace(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<TraceOptions>();
    CLI::App* command = app.add_subcommand(
        "trace", "Say from a scheduler trace where threads started, how often they moved and when they came to rest");
    // The command's arguments are what CLI11 leaves over: it would take apart an argument "[a,b]" of an option of
    // several values.
    command->add_option("file", options->input,
                        "The text of ftrace, trace-cmd report or perf script (-: standard input); with --record, after "
                        "--, the program and its arguments");
    command->allow_extras();
    command->add_flag("--record", options->record,
                      "Run a program and trace it: by the kernel's tracepoints where they are permitted, else by the "
                      "agent");
    add_cpu_options(*command, options->cpus);
    command->add_option("--raw", options->raw_file, "With --record: keep the trace's text in this file");
    command
        ->add_option("--topology", options->topology,
                     "The machine the trace is of: live, FILE.xml of lstopo, or synthetic:\"...\"")
        ->capture_default_str();
    command->add_option("--comm", options->filter.comm, "Only threads of this name");
    command->add_option("--pid", options->filter.tid, "Only this thread and all that it creates, directly or not")
        ->check(decimal_number())
        ->check(CLI::Range(1, std::numeric_limits<int>::max()));
    command->add_option("--format", options->format, "Print as text, csv (a record per thread) or json")
        ->check(CLI::IsMember({"text", "csv", "json"}))
        ->capture_default_str();
    command->add_option("-o,--output", options->output, "Write the report to this file");
    command->footer(
        "Examples:\n"
        "  pinwise trace trace.txt --comm stream --topology zen3.xml\n"
        "  perf script | pinwise trace - --format json\n"
        "  pinwise trace --record -C 0,16,32,48 -o report.txt -- ./stream --threads 4");
    command->callback([command, options, &outcome] {
        if (auto complete = take_arguments(command->remaining(), *options); !complete)
            return report(complete.error(), outcome);
        run_trace(*options, outcome);
    });
}

}  // namespace pinwise::cli
