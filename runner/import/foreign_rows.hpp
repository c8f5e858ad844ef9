#pragma once
/// What the readers of other programs' files share. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"
#include "runner/record/trials_csv.hpp"

namespace pinwise {

/// Walks through a text line by line, without line ends.
class Lines {
public:
    explicit Lines(std::string_view text) : rest_(text) {}
    /// The next line; absent at the end.
    std::optional<std::string_view> next();
    /// Number of the line that next() returned last, from 1.
    [[nodiscard]] int number() const { return number_; }

private:
    std::string_view rest_;
    int number_ = 0;
};

/// One run of a foreign program.
struct ForeignTrial {
    std::string workload;
    std::string parameters;
    int threads = 0;
    std::string failure;  ///< "" for a run that is good
    struct Value {
        std::string metric;
        double value = 0;
        std::string unit;
        Better better = Better::higher;
    };
    std::vector<Value> values;
};

/// Passes a trial on as rows; a failed one as one row without value.
Result<void> consume_trial(const ForeignTrial& trial, int number, int line, const TrialRowConsumer& consume);

/// A finite number with nothing but blanks around it; absent otherwise.
std::optional<double> finite_number(std::string_view text);

/// Without blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// The number that stands first behind `prefix` in a line that starts with it, blanks before it aside.
std::optional<double> number_behind(std::string_view line, std::string_view prefix);

Result<void> read_stream_output(std::string_view text, const std::string& file, const TrialRowConsumer& consume);
Result<void> read_npb_output(std::string_view text, const std::string& file, const TrialRowConsumer& consume);
Result<void> read_likwid_bench_output(std::string_view text, const std::string& file, const TrialRowConsumer& consume);
Result<void> read_google_benchmark_json(std::string_view text, const std::string& file,
                                        const TrialRowConsumer& consume);
Result<void> read_google_benchmark_csv(std::string_view text, const std::string& file, const TrialRowConsumer& consume);

/// Lines of "operation TAB value" or "operation TAB sample TAB value"; or, below a header line that names at least
/// "operation" and "value" among its columns (also known: name, sample, unit, better), of those columns. Lines that
/// start with # are comments. What is an improvement says the column `better`, else the operation's name where it is
/// one of a known benchmark, else `better`; else it is an error.
Result<void> read_mmtests_tsv(std::string_view text, const std::string& file, std::optional<Better> better,
                              const TrialRowConsumer& consume);

}  // namespace pinwise
