#pragma once
/// UA's workers and a mesh to try things on.

#include <stdexcept>

#include <omp.h>

#include "workloads/npb/ua/simulation.hpp"

namespace pinwise::npb::ua::test {

/// Runs `body`(worker) on every thread of a crew. Nothing spins: tests have more threads than CPUs.
template <class Body>
void run_workers(int threads, const Body& body) {
    Crew crew(threads, 0);
#pragma omp parallel num_threads(threads)
    {
        Worker worker(crew, static_cast<std::size_t>(omp_get_thread_num()));
        body(worker);
    }
}

/// Class S, with the mesh of its beginning.
class SmallCase {
public:
    explicit SmallCase(int threads)
        : threads_(threads),
          capacity_{problem_.most_elements, problem_.most_mortar_points, static_cast<std::size_t>(threads)},
          storage_(allocate(capacity_)),
          simulation_(problem_, capacity_, storage_.arrays()) {
        run([&](Worker& worker) { simulation_.adapt(worker); });
    }

    template <class Body>
    void run(const Body& body) const {
        run_workers(threads_, body);
    }

    [[nodiscard]] Simulation& simulation() { return simulation_; }
    [[nodiscard]] const Arrays& arrays() const { return storage_.arrays(); }
    [[nodiscard]] const MeshSize& size() const { return simulation_.mesh_size(); }
    [[nodiscard]] const Problem& problem() const { return problem_; }

private:
    static Storage allocate(const Capacity& capacity) {
        auto storage = Storage::allocate(capacity, workloads::ThpAdvice::system_default);
        if (!storage) throw std::runtime_error(storage.error().message);
        return std::move(*storage);
    }

    int threads_;
    Problem problem_ = problem_of(ProblemClass::s);
    Capacity capacity_;
    Storage storage_;
    Simulation simulation_;
};

}  // namespace pinwise::npb::ua::test
