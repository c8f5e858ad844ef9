// Compares the kernels of workloads/stream with reference loops and with what was tried to go beyond them, interleaved,
// on arrays of 4 × LLC (128 MiB unless told otherwise) with huge pages. One benchmark of Google Benchmark is one kernel
// on one number of threads; an iteration of it is a round that runs every loop once, in an order shuffled anew.
// Afterwards a table of medians and of ratios within rounds is printed. The options of Google Benchmark work too.
//
//   bench_stream --loops 'ours|plain|AVX2'          ours and the references alone
//   bench_stream --benchmark_filter='Triad/1'       one kernel on one thread

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <benchmark/benchmark.h>
#include <omp.h>

#include "tests/bench/paired_rates.hpp"
#include "tests/bench/stream_loops.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/stream/kernels.hpp"

namespace pinwise::bench {

namespace {

constexpr double q = 0.42;
constexpr std::array<const char*, 4> kernel_names{"Copy", "Scale", "Add", "Triad"};
constexpr std::array<std::size_t, 4> bytes_per_element{16, 16, 24, 24};

template <stream::Stores stores>
void run_ours(Kernel kernel, const Parts& parts) {
    switch (kernel) {
        case Kernel::copy:
            return stream::copy(parts.a, parts.c, parts.n, stores);
        case Kernel::scale:
            return stream::scale(q, parts.c, parts.b, parts.n, stores);
        case Kernel::add:
            return stream::add(parts.a, parts.b, parts.c, parts.n, stores);
        case Kernel::triad:
            return stream::triad(q, parts.b, parts.c, parts.a, parts.n, stores);
    }
}

/// Three arrays of `elements` each, with room to displace them.
class Arrays {
public:
    explicit Arrays(std::size_t elements) : elements_(elements) {
        for (int array = 0; array < 3; ++array) {
            auto mapped =
                workloads::HugePageMapping::map(elements * sizeof(double) + slack_bytes, workloads::ThpAdvice::on);
            if (!mapped) throw std::runtime_error(mapped.error().message);
            mappings_.push_back(std::move(*mapped));
            for (double& element : mappings_.back().as<double>(elements + slack_bytes / sizeof(double)))
                element = 1.1;
        }
    }

    [[nodiscard]] Parts parts_of(std::size_t thread, std::size_t threads, std::size_t offset_bytes) const {
        const std::size_t share = elements_ / threads / loop_granule * loop_granule;
        const auto start = [&](std::size_t array) {
            return mappings_[array].as<double>(elements_).data() + array * offset_bytes / sizeof(double) +
                   thread * share;
        };
        return {start(0), start(1), start(2), share};
    }

private:
    static constexpr std::size_t slack_bytes = std::size_t{1} << 20U;
    std::size_t elements_;
    std::vector<workloads::HugePageMapping> mappings_;
};

/// Runs a loop once on all threads and returns GB/s.
double run_once(const Loop& loop, Kernel kernel, int threads, const Arrays& arrays) {
    std::size_t elements = 0;
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel num_threads(threads) reduction(+ : elements)
    {
        const Parts parts = arrays.parts_of(static_cast<std::size_t>(omp_get_thread_num()),
                                            static_cast<std::size_t>(threads), loop.array_offset_bytes);
        loop.run(kernel, parts);
        elements += parts.n;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return static_cast<double>(elements * bytes_per_element.at(static_cast<std::size_t>(kernel))) / taken.count() *
           1e-9;
}

void measure_rounds(benchmark::State& state, const std::vector<Loop>& loops, Kernel kernel, int threads,
                    const Arrays& arrays) {
    std::vector<PairedRates> rates;
    for (const auto& loop : loops)
        rates.push_back({loop.name, loop.is_reference, {}});
    std::vector<std::size_t> order(loops.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(20240601);
    for (const auto& loop : loops)
        run_once(loop, kernel, threads, arrays);
    for (auto _ : state) {
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t index : order)
            rates[index].gb_per_s.push_back(run_once(loops[index], kernel, threads, arrays));
    }
    print_paired_rates(std::string(kernel_names.at(static_cast<std::size_t>(kernel))) + " on " +
                           std::to_string(threads) + " thread" + (threads == 1 ? "" : "s"),
                       rates);
}

std::vector<Loop> chosen_loops(const std::string& pattern) {
    std::vector<Loop> all{{"ours regular", run_ours<stream::Stores::regular>},
                          {"ours nontemporal", run_ours<stream::Stores::nontemporal>}};
    for (const auto& more : {plain_loops(), avx2_loops(), tried_loops()})
        all.insert(all.end(), more.begin(), more.end());
    const std::regex wanted(pattern);
    std::erase_if(all, [&](const Loop& loop) { return !std::regex_search(loop.name, wanted); });
    return all;
}

void register_kernels(const std::vector<Loop>& loops, const Arrays& arrays, int rounds) {
    std::vector<int> thread_counts{1};
    if (omp_get_max_threads() > 1) thread_counts.push_back(omp_get_max_threads());
    for (const int threads : thread_counts)
        for (const Kernel kernel : kernels) {
            const auto name =
                std::string(kernel_names.at(static_cast<std::size_t>(kernel))) + "/" + std::to_string(threads);
            benchmark::RegisterBenchmark(name.c_str(),
                                         [&loops, &arrays, kernel, threads](benchmark::State& state) {
                                             measure_rounds(state, loops, kernel, threads, arrays);
                                         })
                ->UseRealTime()
                ->Iterations(rounds)
                ->Unit(benchmark::kMillisecond);
        }
}

}  // namespace

}  // namespace pinwise::bench

int main(int argc, char** argv) {
    CLI::App app{"Compare the STREAM kernels with reference loops"};
    app.allow_extras();
    std::string pattern = ".";
    std::size_t array_mib = 128;
    int rounds = 40;
    app.add_option("--loops", pattern, "Run the loops whose names this regular expression finds (default: all)");
    app.add_option("--array-mib", array_mib, "Make each array so large, in MiB (default: 128)")
        ->check(CLI::Range(1, 65536));
    app.add_option("--rounds", rounds, "Run every loop so often (default: 40)")->check(CLI::Range(1, 100000));
    CLI11_PARSE(app, argc, argv);
    std::vector<std::string> rest = app.remaining();
    rest.insert(rest.begin(), argv[0]);
    std::vector<char*> arguments;
    std::transform(rest.begin(), rest.end(), std::back_inserter(arguments),
                   [](std::string& word) { return word.data(); });
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

    const auto loops = pinwise::bench::chosen_loops(pattern);
    const pinwise::bench::Arrays arrays((array_mib << 20U) / sizeof(double));
    pinwise::bench::register_kernels(loops, arrays, rounds);
    benchmark::ConsoleReporter reporter(benchmark::ConsoleReporter::OO_None);
    reporter.SetOutputStream(&std::cerr);
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return 0;
}
