#include "runner/validate/threads_check.hpp"

#include <charconv>
#include <map>
#include <optional>

#include "placer/agent/thread_record.hpp"
#include "runner/record/csv_reader.hpp"
#include "runner/trial/placement_facts.hpp"

namespace pinwise {
namespace {

/// A row as far as it is checked.
struct ThreadCells {
    int line = 0;
    std::optional<std::int64_t> trial;
    std::optional<std::int64_t> thread;
    std::optional<std::int64_t> first_cpu;
    std::optional<std::int64_t> first_node;
    std::optional<std::int64_t> first_llc;
    std::optional<std::int64_t> migrations;
    std::optional<std::int64_t> got_count;
    std::string first_cpu_means;
    std::string affinity_kept;
    std::string reason;
};

FirstCpuMeans means_of(std::string_view text) {
    for (const FirstCpuMeans means : {FirstCpuMeans::agent, FirstCpuMeans::tracepoint, FirstCpuMeans::getcpu})
        if (to_string(means) == text) return means;
    return FirstCpuMeans::unknown;
}

class Reader {
public:
    Reader(const CsvDocument& document, const std::string& file, Problems& problems)
        : document_(document), file_(file), problems_(problems) {}

    [[nodiscard]] ThreadCells read(const CsvRecord& record) const {
        ThreadCells cells;
        cells.line = record.line;
        cells.trial = number(record, "trial");
        cells.thread = number(record, "thread");
        cells.first_cpu = number(record, "first_cpu");
        cells.first_node = number(record, "first_node");
        cells.first_llc = number(record, "first_llc");
        cells.migrations = number(record, "migrations");
        cells.got_count = number(record, "got_count");
        cells.first_cpu_means = text(record, "first_cpu_means");
        cells.affinity_kept = text(record, "affinity_kept");
        cells.reason = text(record, "reason");
        return cells;
    }

private:
    [[nodiscard]] std::string text(const CsvRecord& record, std::string_view column) const {
        const auto position = document_.column(column);
        return position ? record.cells[*position] : std::string();
    }

    [[nodiscard]] std::optional<std::int64_t> number(const CsvRecord& record, std::string_view column) const {
        const std::string cell = text(record, column);
        if (cell.empty()) return std::nullopt;
        std::int64_t value = 0;
        const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (status == std::errc{} && end == cell.data() + cell.size()) return value;
        problems_.add(file_, record.line, "{} is \"{}\"", column, cell);
        return std::nullopt;
    }

    const CsvDocument& document_;
    const std::string& file_;
    Problems& problems_;
};

bool has_columns(const CsvDocument& document, const std::string& file, Problems& problems) {
    bool all = true;
    for (const std::string_view column : {"schema", "trial", "thread", "first_cpu", "first_cpu_means", "first_node",
                                          "first_llc", "migrations", "got_count", "affinity_kept", "reason"}) {
        if (document.column(column)) continue;
        problems.add(file, 1, "no column \"{}\"", column);
        all = false;
    }
    return all;
}

void check_place(const ThreadCells& thread, const Machine& machine, const std::string& file, Problems& problems) {
    if (!thread.first_cpu) {
        if (thread.reason.empty()) problems.add(file, thread.line, "no first_cpu, and no reason for it");
        return;
    }
    const Pu* const pu = machine.pu(static_cast<int>(*thread.first_cpu));
    if (pu == nullptr) {
        problems.add(file, thread.line, "first_cpu {} is no CPU of topology.xml", *thread.first_cpu);
        return;
    }
    if (thread.first_node.value_or(-1) != pu->node.value_or(-1))
        problems.add(file, thread.line, "first_node is not the node of CPU {}", *thread.first_cpu);
    if (thread.first_llc != pu->llc)
        problems.add(file, thread.line, "first_llc is not the cache of CPU {}", *thread.first_cpu);
}

ThreadRecord record_of(const ThreadCells& cells) {
    ThreadRecord record;
    record.index = static_cast<int>(cells.thread.value_or(0));
    record.first_cpu = static_cast<int>(cells.first_cpu.value_or(-1));
    record.first_cpu_means = means_of(cells.first_cpu_means);
    record.migrations = cells.migrations.value_or(-1);
    record.got_count = static_cast<int>(cells.got_count.value_or(0));
    record.affinity_kept = cells.affinity_kept != "no";
    return record;
}

/// What the trial's own row says must be what its threads say.
void check_facts(const CheckedTrial& trial, const std::vector<ThreadRecord>& threads, const Machine& machine,
                 const std::string& trials_file, Problems& problems) {
    const PlacementFacts facts = placement_facts(machine, threads);
    const TrialRow& row = trial.first;
    const bool same = row.start_counts == facts.start_counts && row.llcs_used == facts.llcs_used &&
                      row.most_threads_on_one_cpu == facts.most_threads_on_one_cpu &&
                      row.migrations == facts.migrations;
    if (!same)
        problems.add(
            trials_file, trial.line,
            "trial {} says {} at the start, {} on one CPU, {} LLCs, {} migrations; its threads say {}, {}, {}, {}",
            row.trial, row.start_counts, row.most_threads_on_one_cpu.value_or(-1), row.llcs_used.value_or(-1),
            row.migrations.value_or(-1), facts.start_counts, facts.most_threads_on_one_cpu.value_or(-1),
            facts.llcs_used.value_or(-1), facts.migrations.value_or(-1));
    const std::string kept = !facts.affinity_kept ? "" : *facts.affinity_kept ? "yes" : "no";
    if (row.affinity_kept != kept)
        problems.add(trials_file, trial.line, R"(trial {} says affinity_kept "{}", its threads "{}")", row.trial,
                     row.affinity_kept, kept);
}

}  // namespace

void check_threads(const std::string& text, const std::string& file, const CheckedTrials& trials,
                   const Machine* machine, Problems& problems) {
    const auto document = parse_csv(text, file);
    if (!document) return problems.add("", 0, document.error().message);
    if (document->torn_line) problems.add(file, *document->torn_line, "the last line was torn when its run was ended");
    if (!has_columns(*document, file, problems)) return;
    const Reader reader(*document, file, problems);
    std::map<std::int64_t, std::vector<ThreadRecord>> threads_of;
    for (const CheckedTrial& trial : trials)
        threads_of[trial.first.trial];
    for (const CsvRecord& record : document->records) {
        const ThreadCells thread = reader.read(record);
        const auto known = threads_of.find(thread.trial.value_or(0));
        if (known == threads_of.end()) {
            problems.add(file, thread.line, "trial {} is not in trials.csv", thread.trial.value_or(0));
            continue;
        }
        known->second.push_back(record_of(thread));
        if (machine != nullptr) check_place(thread, *machine, file, problems);
    }
    if (machine == nullptr) return;
    const std::string trials_file = file.substr(0, file.rfind('/') + 1) + "trials.csv";
    for (const CheckedTrial& trial : trials)
        if (trial.first.status == "ok")
            check_facts(trial, threads_of[trial.first.trial], *machine, trials_file, problems);
}

}  // namespace pinwise
