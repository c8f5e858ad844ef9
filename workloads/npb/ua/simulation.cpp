#include "workloads/npb/ua/simulation.hpp"

#include <algorithm>
#include <utility>

#include "workloads/npb/ua/element_kernels.hpp"
#include "workloads/npb/ua/point_kernels.hpp"
#include "workloads/npb/ua/transfer.hpp"

namespace pinwise::npb::ua {

namespace {

constexpr int conjugate_gradient_iterations = 10;
constexpr double velocity = 3;
constexpr std::array<double, 3> source_start{3.0 / 7.0, 2.0 / 7.0, 2.0 / 7.0};

/// What the lists in the workers' plans take, some 290 bytes an element in all classes, and a vector's room to grow.
constexpr std::size_t list_bytes_per_element = 500;

std::size_t mark_room(const Capacity& capacity) {
    return 2 * capacity.elements;
}

template <class T>
std::span<T> part_of(std::span<T> array, workloads::Slice slice, std::size_t unit) {
    return array.subspan(slice.begin * unit, slice.size() * unit);
}

/// This thread's share of the capacity of an array, as far as it lies behind what is used.
template <class T>
void touch_behind(const Worker& worker, std::span<T> array, std::size_t used) {
    const auto own = worker.slice(array.size());
    for (std::size_t i = std::max(own.begin, used); i < own.end; ++i)
        array[i] = T{};
}

}  // namespace

Simulation::Simulation(const Problem& problem, const Capacity& capacity, const Arrays& arrays)
    : problem_(problem),
      capacity_(capacity),
      arrays_(arrays),
      map_(capacity, arrays, Physics{.dt = problem.dt(), .velocity = velocity}),
      trees_{std::make_unique<Octree>(capacity.elements), std::make_unique<Octree>(capacity.elements)},
      marks_(std::make_unique_for_overwrite<Mark[]>(mark_room(capacity))) {
    trees_[0]->become_root();
}

std::uint64_t Simulation::bytes_needed(const Capacity& capacity) {
    return Storage::bytes_needed(capacity) + 2 * Octree::bytes_needed(capacity.elements) + mark_room(capacity) +
           list_bytes_per_element * capacity.elements;
}

void Simulation::touch_trees() {
    for (auto& tree : trees_)
        tree->touch();
    trees_[0]->become_root();
    std::fill_n(marks_.get(), mark_room(capacity_), Mark::keep);
}

Source Simulation::source_at(double time) const {
    Source source{source_start, problem_.source_radius};
    for (double& coordinate : source.centre)
        coordinate += velocity * time;
    return source;
}

std::span<const double> Simulation::block_sums() const {
    return arrays_.block_sums.first(map_.size().blocks);
}

bool Simulation::adapt(Worker& worker) {
    const Source source = source_at(time_);
    const std::span<Mark> marks{marks_.get(), mark_room(capacity_)};
    MeshChange change;
    for (;;) {
        const auto marked = mark_refinement(worker, tree(), source, problem_.finest_level, marks);
        if (marked == 0) break;
        change.refined += marked;
        if (!change_mesh(worker)) return false;
    }
    for (;;) {
        const auto marked = mark_coarsening(worker, tree(), source, marks);
        if (marked == 0) break;
        change.merged += marked * children;
        if (!change_mesh(worker)) return false;
    }
    worker.barrier([&] { change_ = change; });
    if (change.refined + change.merged == 0) return true;
    if (!map_.rebuild(worker, tree())) return false;
    preconditioner_.give_shares(arrays_, map_.plan(worker), map_.size());
    worker.barrier();
    invert_diagonal(arrays_, map_.plan(worker));
    worker.barrier();
    return true;
}

/// Makes the marked changes, and carries T over by way of the pool, which is free between steps.
bool Simulation::change_mesh(Worker& worker) {
    Octree& next = *trees_[1];
    const std::span<const Mark> marks{marks_.get(), mark_room(capacity_)};
    if (!next.become_changed(worker, tree(), marks) || next.leaves() > capacity_.elements) return false;
    const auto blocks = worker.slice((next.leaves() + lanes - 1) / lanes);
    transfer(tree(), next, blocks, arrays_.temperature, arrays_.pool);
    worker.barrier([&] { std::swap(trees_[0], trees_[1]); });
    std::ranges::copy(part_of(arrays_.pool, blocks, block_values),
                      part_of(arrays_.temperature, blocks, block_values).begin());
    worker.barrier();
    return true;
}

void Simulation::step(Worker& worker) {
    const WorkerPlan& plan = map_.plan(worker);
    const double dt = problem_.dt();
    convect(arrays_, plan.blocks, {dt, {source_at(time_), source_at(time_ + dt / 2), source_at(time_ + dt)}});
    worker.barrier();
    guess_mortar(arrays_, plan, map_.size());
    worker.barrier();
    project_slaves(arrays_, plan, map_.size(), arrays_.mortar);
    find_residual(arrays_, plan.blocks);
    spread_slaves(arrays_, plan, map_.size());
    worker.barrier();
    start_residual(arrays_, plan);
    solve(worker, plan);
    worker.barrier([&] { time_ += dt; });
}

/// Conjugate gradients. A step along a direction is taken when the next direction is made, which reads both anyway; the
/// last residual is never needed.
void Simulation::solve(Worker& worker, const WorkerPlan& plan) {
    double rho = worker.sum_of(block_sums());
    double alpha = 0;
    double beta = 0;
    for (int iteration = 1;; ++iteration) {
        project_slaves(arrays_, plan, map_.size(), arrays_.direction);
        apply_to_direction(arrays_, plan.blocks, beta, alpha);
        spread_slaves(arrays_, plan, map_.size());
        alpha = rho / worker.sum_of(block_sums());
        if (iteration == conjugate_gradient_iterations) break;
        reduce_residual(arrays_, plan, alpha);
        const double rho_before = std::exchange(rho, worker.sum_of(block_sums()));
        beta = rho / rho_before;
        next_direction(arrays_, plan, alpha, beta);
        worker.barrier();
    }
    finish_mortar(arrays_, plan, alpha);
    worker.barrier();
    project_slaves(arrays_, plan, map_.size(), arrays_.mortar);
    finish_temperature(arrays_, plan.blocks, alpha);
}

void Simulation::reset(Worker& worker) {
    const auto own = part_of(arrays_.temperature, map_.plan(worker).blocks, block_values);
    std::ranges::fill(own, 0.0);
    worker.barrier([&] { time_ = 0; });
}

void Simulation::touch_reserve(Worker& worker) {
    const MeshSize& size = map_.size();
    touch_behind(worker, arrays_.temperature, size.blocks * block_values);
    touch_behind(worker, arrays_.pool, size.pool_zeros() + face_points * lanes);
    for (const auto& inner : {arrays_.inner_residual, arrays_.inner_direction, arrays_.inner_inverse_diagonal})
        touch_behind(worker, inner, size.blocks * block_inner_values);
    for (const auto& vector : {arrays_.mortar, arrays_.residual, arrays_.direction, arrays_.inverse_diagonal})
        touch_behind(worker, vector, size.mortar_values());
    touch_behind(worker, arrays_.constants, size.blocks);
    touch_behind(worker, arrays_.index, size.blocks);
    touch_behind(worker, arrays_.face_groups, size.face_slaves / lanes);
    touch_behind(worker, arrays_.edge_groups, size.edge_slaves / lanes);
    worker.barrier();
}

double Simulation::temperature_integral(Worker& worker) {
    const auto blocks = map_.plan(worker).blocks;
    for (std::size_t block = blocks.begin; block < blocks.end; ++block) {
        const BlockConstants& constants = arrays_.constants[block];
        double sum = 0;
        for (std::size_t slot = 0; slot < element_nodes; ++slot)
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const double half = constants.size[lane] / 2;
                sum += arrays_.temperature[(block * element_nodes + slot) * lanes + lane] *
                       node_weights[node_of_slot[slot]] * half * half * half;
            }
        arrays_.block_sums[block] = sum;
    }
    return worker.sum_of(block_sums());
}

}  // namespace pinwise::npb::ua
