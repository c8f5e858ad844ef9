#include "workloads/stream/stream_run.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/core.h>
#include <omp.h>

#include "workloads/common/page_watch.hpp"
#include "workloads/common/partition.hpp"

namespace pinwise::stream {

namespace {

using workloads::Slice;

Slice own_slice(const Arrays& arrays) {
    return workloads::slice_of(static_cast<std::size_t>(omp_get_thread_num()),
                               static_cast<std::size_t>(omp_get_num_threads()), arrays.a.size());
}

/// Runs `body` on each thread's slice and returns the seconds it took.
template <class Body>
double timed(const Arrays& arrays, int threads, const Body& body) {
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel num_threads(threads)
    {
        const Slice slice = own_slice(arrays);
        body(slice.begin, slice.size());
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The parts of the arrays that a thread uses.
std::vector<workloads::MemoryRange> ranges_of_thread(const Arrays& arrays, std::size_t thread, std::size_t threads) {
    const Slice slice = workloads::slice_of(thread, threads, arrays.a.size());
    const auto part = [&](std::span<double> array) { return std::as_bytes(array.subspan(slice.begin, slice.size())); };
    return {part(arrays.a), part(arrays.b), part(arrays.c)};
}

}  // namespace

void first_touch(const Arrays& arrays, int threads, workloads::Touch touch) {
    workloads::first_touch(touch, threads, [&](int thread) {
        const Slice slice =
            workloads::slice_of(static_cast<std::size_t>(thread), static_cast<std::size_t>(threads), arrays.a.size());
        std::fill_n(arrays.a.data() + slice.begin, slice.size(), initial_values.a);
        std::fill_n(arrays.b.data() + slice.begin, slice.size(), initial_values.b);
        std::fill_n(arrays.c.data() + slice.begin, slice.size(), initial_values.c);
    });
}

std::array<double, 4> run_iteration(const Arrays& arrays, int threads, Stores stores) {
    double* a = arrays.a.data();
    double* b = arrays.b.data();
    double* c = arrays.c.data();
    std::array<double, 4> times_s{};
    times_s[0] =
        timed(arrays, threads, [=](std::size_t begin, std::size_t n) { copy(a + begin, c + begin, n, stores); });
    times_s[1] = timed(arrays, threads,
                       [=](std::size_t begin, std::size_t n) { scale(scale_factor, c + begin, b + begin, n, stores); });
    times_s[2] = timed(arrays, threads,
                       [=](std::size_t begin, std::size_t n) { add(a + begin, b + begin, c + begin, n, stores); });
    times_s[3] = timed(arrays, threads, [=](std::size_t begin, std::size_t n) {
        triad(scale_factor, b + begin, c + begin, a + begin, n, stores);
    });
    return times_s;
}

workloads::Verification verify(const Arrays& arrays, int threads, std::uint64_t iterations) {
    const ArrayValues expected = closed_form(iterations);
    CheckResult a;
    CheckResult b;
    CheckResult c;
    timed(arrays, threads, [&](std::size_t begin, std::size_t count) {
        const auto part_a = check_elements(arrays.a.subspan(begin, count), expected.a, begin);
        const auto part_b = check_elements(arrays.b.subspan(begin, count), expected.b, begin);
        const auto part_c = check_elements(arrays.c.subspan(begin, count), expected.c, begin);
#pragma omp critical(pinwise_stream_verify)
        {
            a = merged(a, part_a);
            b = merged(b, part_b);
            c = merged(c, part_c);
        }
    });
    workloads::Verification verification;
    verification.passed = a.passed() && b.passed() && c.passed();
    verification.max_error = std::max({a.max_error, b.max_error, c.max_error});
    verification.tolerance = tolerance;
    for (const auto& text :
         {failure_text("a", a, expected.a), failure_text("b", b, expected.b), failure_text("c", c, expected.c)}) {
        if (!text.empty() && !verification.message.empty()) verification.message += "; ";
        verification.message += text;
    }
    return verification;
}

workloads::Expected<RunResult> run_stream(const RunParameters& parameters, workloads::ThreadTeam& team) {
    const std::uint64_t array_bytes = parameters.elements * sizeof(double);
    std::vector<workloads::HugePageMapping> mappings;
    for (int array = 0; array < 3; ++array) {
        auto mapping = workloads::HugePageMapping::map(array_bytes, parameters.thp);
        if (!mapping) return tl::unexpected(mapping.error());
        mappings.push_back(std::move(*mapping));
    }
    const auto array = [&](std::size_t index) { return mappings[index].as<double>(parameters.elements); };
    const Arrays arrays{array(0), array(1), array(2)};

    RunResult result;
    first_touch(arrays, team.size(), parameters.touch);
    workloads::PageWatch watch(
        team, {{"a", mappings[0].bytes()}, {"b", mappings[1].bytes()}, {"c", mappings[2].bytes()}},
        [&](int thread) { return ranges_of_thread(arrays, static_cast<std::size_t>(thread), team.threads.size()); });
    watch.start();
    for (int i = 0; i < warm_up_iterations; ++i)
        run_iteration(arrays, team.size(), parameters.stores);
    for (int i = 0; i < parameters.ntimes; ++i) {
        const auto times_s = run_iteration(arrays, team.size(), parameters.stores);
        for (std::size_t kernel = 0; kernel < times_s.size(); ++kernel)
            result.times_s[kernel].push_back(times_s[kernel]);
        watch.look();
    }
    workloads::record_last_cpus(team);
    result.verification =
        verify(arrays, team.size(), std::uint64_t{warm_up_iterations} + static_cast<std::uint64_t>(parameters.ntimes));

    result.pages = watch.finish();
    if (!mappings[0].advice_refused().empty()) result.notes.push_back(mappings[0].advice_refused());
    return result;
}

}  // namespace pinwise::stream
