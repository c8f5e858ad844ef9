#include "workloads/npb/ua/ua_kernel.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <omp.h>

#include "workloads/common/page_watch.hpp"
#include "workloads/npb/common/stopwatch.hpp"
#include "workloads/npb/ua/element_kernels.hpp"
#include "workloads/npb/ua/simulation.hpp"

namespace pinwise::npb::ua {

namespace {

constexpr int steps_between_adaptations = 5;

/// Operations that NPB counts for a step: every node of every element, once for each of 10 iterations and once more.
constexpr double operations_per_element = 11.0 * element_nodes;

Capacity capacity_of(const Problem& problem, int threads) {
    return {problem.most_elements, problem.most_mortar_points, static_cast<std::size_t>(threads)};
}

/// What the timed steps give.
struct TimedRun {
    bool fits = true;  ///< false if the mesh outgrew its room
    double time_s = 0;
    double elements = 0;  ///< sum over the steps, counted after a step's adaptation
    double temperature_integral = 0;
    std::size_t last_elements = 0;
    std::vector<double> step_times_s;
    std::vector<double> adaptation_times_s;
};

/// Mesh, warm-up step, then the timed region. A mesh that outgrows its room does so for every worker at the same time.
void run_steps(const Problem& problem, Simulation& simulation, Worker& worker, workloads::PageWatch& pages,
               TimedRun& run) {
    if (!simulation.adapt(worker)) {
        if (worker.is_first()) run.fits = false;
        return;
    }
    simulation.step(worker);
    simulation.touch_reserve(worker);
    simulation.reset(worker);
    if (worker.is_first()) pages.start();
    Stopwatch watch;
    bool fits = true;
    for (int step = 1; step <= problem.steps && fits; ++step) {
        simulation.step(worker);
        if (worker.is_first()) run.step_times_s.push_back(watch.lap());
        if (step % steps_between_adaptations == 0 && step != problem.steps) {
            fits = simulation.adapt(worker);
            if (worker.is_first()) run.adaptation_times_s.push_back(watch.lap());
        }
        if (worker.is_first()) run.elements += static_cast<double>(simulation.elements());
    }
    if (worker.is_first()) run.time_s = watch.seconds();
    if (!fits) {
        if (worker.is_first()) run.fits = false;
        return;
    }
    const double integral = simulation.temperature_integral(worker);
    if (!worker.is_first()) return;
    run.temperature_integral = integral;
    run.last_elements = simulation.elements();
}

/// The parts of the largest arrays that a thread works on.
std::vector<workloads::MemoryRange> ranges_of(const Simulation& simulation, const Arrays& arrays,
                                              const Worker& worker) {
    const auto blocks = simulation.plan(worker).blocks;
    const auto part = [&](std::span<double> field) {
        return std::as_bytes(field.subspan(blocks.begin * block_values, blocks.size() * block_values));
    };
    return {part(arrays.temperature), part(arrays.pool)};
}

TimedRun run_team(const Problem& problem, Simulation& simulation, Crew& crew, workloads::PageWatch& pages) {
    TimedRun run;
    run.step_times_s.reserve(static_cast<std::size_t>(problem.steps));
    run.adaptation_times_s.reserve(static_cast<std::size_t>(problem.steps / steps_between_adaptations));
#pragma omp parallel num_threads(static_cast <int>(crew.size()))
    {
        Worker worker(crew, static_cast<std::size_t>(omp_get_thread_num()));
        run_steps(problem, simulation, worker, pages, run);
    }
    return run;
}

std::uint64_t bytes_needed(ProblemClass problem_class, int threads) {
    return Simulation::bytes_needed(capacity_of(problem_of(problem_class), threads));
}

workloads::Expected<KernelRun> run(const RunParameters& parameters, workloads::ThreadTeam& team) {
    const Problem& problem = problem_of(parameters.problem_class);
    const Capacity capacity = capacity_of(problem, team.size());
    const auto storage = Storage::allocate(capacity, parameters.thp);
    if (!storage) return tl::unexpected(storage.error());
    Simulation simulation(problem, capacity, storage->arrays());
    if (parameters.touch == workloads::Touch::master) {
        std::ranges::fill(storage->mapping().bytes(), std::byte{0});
        simulation.touch_trees();
    }
    Crew crew(team);
    workloads::PageWatch pages(team,
                               {{"temperature", std::as_bytes(storage->arrays().temperature)},
                                {"pool", std::as_bytes(storage->arrays().pool)}},
                               [&](int thread) {
                                   return ranges_of(simulation, storage->arrays(),
                                                    Worker(crew, static_cast<std::size_t>(thread)));
                               });
    TimedRun timed = run_team(problem, simulation, crew, pages);
    if (!timed.fits)
        return workloads::failed_run("the mesh has outgrown the class's bounds: this is a fault of npb-ua");
    workloads::record_last_cpus(team);

    KernelRun result;
    result.size = fmt::format("{}", problem.finest_level);
    result.iterations = problem.steps;
    result.time_s = timed.time_s;
    result.operations = timed.elements * operations_per_element;
    result.checks = {check_of(problem, timed.temperature_integral)};
    result.findings = {fmt::format("temperature integral {:.13e}, official {:.13e}", timed.temperature_integral,
                                   problem.temperature_integral),
                       fmt::format("{} elements and {} mortar points at the end", timed.last_elements,
                                   simulation.mesh_size().mortar_points)};
    result.iteration_times = {{"step", std::move(timed.step_times_s)},
                              {"adaptation", std::move(timed.adaptation_times_s)}};
    result.parameters = {{"finest_level", problem.finest_level},
                         {"elements_all_steps", timed.elements},
                         {"vector_target", vector_target()}};
    result.pages = pages.finish();
    if (!storage->mapping().advice_refused().empty()) result.notes.push_back(storage->mapping().advice_refused());
    return result;
}

}  // namespace

const Kernel& kernel() {
    static constexpr Kernel ua{"ua", "Unstructured adaptive mesh", "coll. point advanced", classes, bytes_needed, run};
    return ua;
}

}  // namespace pinwise::npb::ua
