// The octree of UA: volumes, neighbours, the 2:1 rule, and the official history of class S.

#include <cmath>

#include <gmock/gmock.h>

#include "tests/unit/workloads/npb/ua_crew.hpp"
#include "workloads/npb/ua/ua_kernel.hpp"

namespace pinwise::npb::ua {
namespace {

using test::run_workers;
using test::SmallCase;

constexpr std::size_t room = 4000;
constexpr int finest = 5;

/// Trees that follow a source until nothing changes.
struct Mesh {
    std::array<Octree, 2> trees{Octree(room), Octree(room)};
    std::size_t now = 0;
    std::vector<Mark> marks = std::vector<Mark>(2 * room);

    Mesh() { trees[0].become_root(); }

    [[nodiscard]] const Octree& tree() const { return trees.at(now); }

    bool change(Worker& worker) {
        const bool fits = trees.at(1 - now).become_changed(worker, tree(), marks);
        worker.barrier([&] { now = 1 - now; });
        return fits;
    }

    void follow(const Source& source, int threads) {
        run_workers(threads, [&](Worker& worker) {
            while (mark_refinement(worker, tree(), source, finest, marks) != 0)
                change(worker);
            while (mark_coarsening(worker, tree(), source, marks) != 0)
                change(worker);
        });
    }
};

const Source first_place{{0.43, 0.29, 0.31}, 0.06};
const Source second_place{{0.55, 0.41, 0.43}, 0.06};

double low(const Node& node, std::size_t axis) {
    return node.size() * node.cell[axis];
}

double high(const Node& node, std::size_t axis) {
    return node.size() * (node.cell[axis] + 1);
}

/// Axes along which two cubes overlap in more than a point, or −1 if they do not touch.
int shared_dimension(const Node& a, const Node& b) {
    int dimension = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double overlap = std::min(high(a, axis), high(b, axis)) - std::max(low(a, axis), low(b, axis));
        if (overlap < 0) return -1;
        if (overlap > 0) ++dimension;
    }
    return dimension;
}

TEST(UaOctree, fills_the_cube_with_its_leaves_in_Morton_order) {
    Mesh mesh;
    mesh.follow(first_place, 2);
    double volume = 0;
    for (std::size_t leaf = 0; leaf < mesh.tree().leaves(); ++leaf) {
        const Node& node = mesh.tree().leaf(leaf);
        EXPECT_TRUE(node.is_leaf());
        EXPECT_EQ(node.leaf, static_cast<std::int32_t>(leaf));
        volume += std::pow(node.size(), 3);
    }
    EXPECT_EQ(volume, 1.0);
    EXPECT_GT(mesh.tree().leaves(), 200U);
}

TEST(UaOctree, refines_all_that_touches_the_source_and_keeps_the_2_to_1_rule_while_the_source_moves) {
    Mesh mesh;
    for (const Source& source : {first_place, second_place, first_place}) {
        mesh.follow(source, 3);
        const Octree& tree = mesh.tree();
        for (std::size_t a = 0; a < tree.leaves(); ++a) {
            EXPECT_TRUE(!touches(source, tree.leaf(a)) || tree.leaf(a).level == finest) << a;
            for (std::size_t b = 0; b < a; ++b) {
                const int difference = std::abs(tree.leaf(a).level - tree.leaf(b).level);
                ASSERT_TRUE(difference <= 1 || shared_dimension(tree.leaf(a), tree.leaf(b)) < 1) << a << ' ' << b;
            }
        }
    }
}

TEST(UaOctree, comes_back_to_the_same_mesh_when_the_source_does) {
    Mesh fresh;
    fresh.follow(first_place, 1);
    Mesh travelled;
    for (const Source& source : {first_place, second_place, first_place})
        travelled.follow(source, 1);
    ASSERT_EQ(travelled.tree().leaves(), fresh.tree().leaves());
    for (std::size_t leaf = 0; leaf < fresh.tree().leaves(); ++leaf)
        EXPECT_EQ(travelled.tree().leaf(leaf).cell, fresh.tree().leaf(leaf).cell);
}

TEST(UaOctree, knows_the_neighbours_that_a_search_finds) {
    Mesh mesh;
    mesh.follow(first_place, 2);
    mesh.follow(second_place, 2);
    const Octree& tree = mesh.tree();
    for (const Node& node : tree.nodes())
        for (std::size_t direction = 0; direction < directions; ++direction) {
            const Offset offset = offset_of(direction);
            std::array<double, 3> middle{};
            bool outside = false;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                middle[axis] = node.size() * (node.cell[axis] + offset[axis] + 0.5);
                outside = outside || middle[axis] < 0 || middle[axis] > 1;
            }
            std::int32_t found = outside ? none : 0;
            while (!outside && tree.node(found).level < node.level && !tree.node(found).is_leaf()) {
                std::int32_t child = 0;
                for (std::size_t axis = 0; axis < 3; ++axis)
                    if (middle[axis] > (low(tree.node(found), axis) + high(tree.node(found), axis)) / 2)
                        child |= 1 << axis;
                found = tree.node(found).first_child + child;
            }
            ASSERT_EQ(node.neighbour[direction], found);
        }
}

TEST(UaOctree, is_the_same_for_any_number_of_threads) {
    Mesh alone;
    alone.follow(first_place, 1);
    alone.follow(second_place, 1);
    for (const int threads : {2, 3, 7}) {
        Mesh team;
        team.follow(first_place, threads);
        team.follow(second_place, threads);
        ASSERT_EQ(team.tree().size(), alone.tree().size());
        for (std::size_t i = 0; i < alone.tree().size(); ++i) {
            EXPECT_EQ(team.tree().nodes()[i].cell, alone.tree().nodes()[i].cell);
            EXPECT_EQ(team.tree().nodes()[i].leaf, alone.tree().nodes()[i].leaf);
            EXPECT_EQ(team.tree().nodes()[i].neighbour, alone.tree().nodes()[i].neighbour);
        }
    }
}

TEST(UaOctree, says_so_when_it_would_have_too_many_leaves) {
    const std::vector<Mark> divide(1, Mark::change);
    Octree root(1);
    root.become_root();
    for (const std::size_t most : {7U, 8U}) {
        Octree divided(most);
        run_workers(2, [&](Worker& worker) { EXPECT_EQ(divided.become_changed(worker, root, divide), most == 8); });
    }
}

TEST(UaSimulation, has_the_official_mesh_history_and_integrals_of_class_S) {
    struct Row {
        std::uint64_t refined;
        std::uint64_t merged;
        std::size_t elements;
        std::size_t mortar_points;
        double integral_before;
    };
    // After steps 5, 10, …; the integral is that after the step, the rest that of the adaptation which follows.
    const std::vector<Row> rows{{1, 16, 134, 6631, 1.323065826962e-06},
                                {16, 0, 246, 11559, 2.356193337088e-06},
                                {0, 64, 190, 9291, 4.236128285050e-06},
                                {0, 80, 120, 6013, 6.468116394124e-06},
                                {12, 0, 204, 9761, 2.250842752476e-06},
                                {0, 0, 204, 9761, 1.793095033416e-05},
                                {0, 96, 120, 6013, 0},
                                {10, 0, 190, 0, 4.376794159140e-04},
                                {8, 0, 246, 11559, 0}};
    SmallCase small(2);
    EXPECT_EQ(small.simulation().last_change().refined, 20U);
    EXPECT_EQ(small.size().elements, 141U);
    EXPECT_EQ(small.size().mortar_points, 6990U);
    for (const Row& row : rows) {
        double integral = 0;
        small.run([&](Worker& worker) {
            for (int step = 0; step < 5; ++step)
                small.simulation().step(worker);
            const double sum = small.simulation().temperature_integral(worker);
            if (worker.is_first()) integral = sum;
            EXPECT_TRUE(small.simulation().adapt(worker));
        });
        if (row.integral_before != 0) {
            EXPECT_NEAR(integral, row.integral_before, 1e-11 * row.integral_before);
        }
        EXPECT_EQ(small.simulation().last_change().refined, row.refined);
        EXPECT_EQ(small.simulation().last_change().merged, row.merged);
        EXPECT_EQ(small.size().elements, row.elements);
        if (row.mortar_points != 0) {
            EXPECT_EQ(small.size().mortar_points, row.mortar_points);
        }
    }
}

TEST(UaSimulation, gives_the_same_bits_for_any_number_of_threads) {
    const auto integral_with = [](int threads) {
        SmallCase small(threads);
        double integral = 0;
        small.run([&](Worker& worker) {
            for (int step = 0; step < 12; ++step) {
                small.simulation().step(worker);
                if (step % 5 == 4) small.simulation().adapt(worker);
            }
            const double sum = small.simulation().temperature_integral(worker);
            if (worker.is_first()) integral = sum;
        });
        return integral;
    };
    const double alone = integral_with(1);
    EXPECT_GT(alone, 0);
    for (const int threads : {2, 5, 40})
        EXPECT_EQ(integral_with(threads), alone) << threads;
}

TEST(UaKernel, verifies_class_S_and_counts_the_official_number_of_operations) {
    auto team = workloads::start_team(2);
    ASSERT_TRUE(team);
    const auto run = kernel().run({ProblemClass::s, workloads::Touch::parallel, workloads::ThpAdvice::off}, *team);
    ASSERT_TRUE(run);
    EXPECT_TRUE(verification_of(run->checks).passed);
    EXPECT_EQ(run->operations, 9080.0 * 125 * 11);
    ASSERT_EQ(run->iteration_times.size(), 2U);
    EXPECT_EQ(run->iteration_times[0].times_s.size(), 50U);
    EXPECT_EQ(run->iteration_times[1].times_s.size(), 9U);
}

}  // namespace
}  // namespace pinwise::npb::ua
