#pragma once
/// One run of STREAM: first touch, warm-up, the timed iterations, the check.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/common/first_touch.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/common/thread_team.hpp"
#include "workloads/common/workload_report.hpp"
#include "workloads/stream/closed_form.hpp"
#include "workloads/stream/kernels.hpp"

namespace pinwise::stream {

/// STREAM's names of the kernels, in the order in which an iteration runs them.
inline constexpr std::array<std::string_view, 4> kernel_names{"Copy", "Scale", "Add", "Triad"};

/// Bytes a kernel moves by STREAM's count: 8 for each operand an element, the write-allocate of regular stores not
/// counted.
constexpr std::uint64_t bytes_moved(std::size_t kernel, std::uint64_t elements) {
    constexpr std::array<std::uint64_t, 4> bytes_per_element{16, 16, 24, 24};
    return bytes_per_element.at(kernel) * elements;
}

/// Iterations before the timed ones; nothing is recorded of them.
inline constexpr int warm_up_iterations = 1;

struct RunParameters {
    std::uint64_t elements = 0;
    int ntimes = 10;  ///< timed iterations, ≥ 2; the first is left out of the statistics
    Stores stores = Stores::regular;
    workloads::ThpAdvice thp = workloads::ThpAdvice::on;
    workloads::Touch touch = workloads::Touch::parallel;
};

/// What a run gave, right or wrong: look at verification first.
struct RunResult {
    std::array<std::vector<double>, 4> times_s;  ///< by kernel, ntimes each
    workloads::Verification verification;
    workloads::PageReport pages;
    std::vector<std::string> notes;
};

/// The three arrays, all of one size.
struct Arrays {
    std::span<double> a;
    std::span<double> b;
    std::span<double> c;
};

/// Every element gets its initial value, from the thread that will use it or all from the calling one, which decides
/// where it lives.
void first_touch(const Arrays& arrays, int threads, workloads::Touch touch);

/// Copy, Scale, Add, Triad once over all elements by the team; returns the four times in seconds, from before the
/// threads start to after the last has ended.
std::array<double, 4> run_iteration(const Arrays& arrays, int threads, Stores stores);

/// Compares every element with closed_form(iterations).
workloads::Verification verify(const Arrays& arrays, int threads, std::uint64_t iterations);

/// All of it on the given team, whose last CPUs and page samples it records.
workloads::Expected<RunResult> run_stream(const RunParameters& parameters, workloads::ThreadTeam& team);

}  // namespace pinwise::stream
