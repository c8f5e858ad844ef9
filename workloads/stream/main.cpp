// pinwise-stream: memory bandwidth by a variant of STREAM. docs/workloads/stream.md says what it measures and how.

#include <fmt/core.h>

#include "workloads/common/workload_program.hpp"
#include "workloads/stream/command_line.hpp"
#include "workloads/stream/stream_report.hpp"

namespace pinwise::stream {

namespace {

workloads::CacheTotal llc_of(const Options& options, const workloads::ThreadTeam& team) {
    if (options.llc_bytes) return {*options.llc_bytes, "given by --llc-bytes", false};
    return workloads::cache_total(workloads::last_level_caches(team.allowed_cpus));
}

workloads::Expected<FinishedRun> measure(const Options& options) {
    auto team = workloads::start_team(options.threads);
    if (!team) return tl::unexpected(team.error());
    const auto llc = llc_of(options, *team);
    const auto available = workloads::memory_available();
    if (!available) return tl::unexpected(available.error());
    const auto size =
        choose_array_size(options.size, {llc.bytes, *available, options.threads, workloads::huge_page_bytes()});
    if (!size) return tl::unexpected(size.error());
    const RunParameters parameters{size->elements, options.ntimes,
                                   choose_stores(options.stores, size->array_bytes(), llc.bytes), options.thp,
                                   options.touch};
    auto result = run_stream(parameters, *team);
    if (!result) return tl::unexpected(result.error());
    return FinishedRun{llc, *size, parameters, std::move(*team), std::move(*result)};
}

workloads::Expected<workloads::ExitStatus> run(int argc, char** argv) {
    const auto command_line = parse_command_line(argc, argv);
    if (!command_line) return tl::unexpected(command_line.error());
    if (command_line->text_instead) {
        fmt::print("{}", *command_line->text_instead);
        return workloads::ExitStatus::done;
    }
    auto json = workloads::JsonDestination::open(command_line->options.json);
    if (!json) return tl::unexpected(json.error());
    const auto finished = measure(command_line->options);
    if (!finished) return tl::unexpected(finished.error());
    const auto report = make_report(*finished);
    return workloads::deliver(report, result_text(*finished, report), *json);
}

}  // namespace

}  // namespace pinwise::stream

int main(int argc, char** argv) {
    return pinwise::workloads::program_status("pinwise-stream", [&] { return pinwise::stream::run(argc, argv); });
}
