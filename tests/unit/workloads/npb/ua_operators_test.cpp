// UA's operators against plain loops over their definitions.

#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "tests/unit/workloads/npb/ua_crew.hpp"
#include "workloads/npb/ua/element_kernels.hpp"
#include "workloads/npb/ua/point_kernels.hpp"
#include "workloads/npb/ua/transfer.hpp"

namespace pinwise::npb::ua {
namespace {

using test::SmallCase;

/// A polynomial of degree 4 along every axis.
double polynomial(double x, double y, double z) {
    return (1 + x - 3 * x * x * x * x) * (2 - y * y * y + y * y * y * y) * (0.5 - 2 * z + z * z * z * z);
}

std::array<double, 3> place_of_node(const BlockConstants& constants, std::size_t lane, std::size_t node) {
    const std::array<std::size_t, 3> i{node % 5, node / 5 % 5, node / 25};
    std::array<double, 3> place{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        place[axis] = constants.corner[axis][lane] + constants.size[lane] * (gll_nodes[i[axis]] + 1) / 2;
    return place;
}

template <class Visit>
void for_boundary_nodes(const SmallCase& small, const Visit& visit) {
    for (std::size_t e = 0; e < small.size().elements; ++e)
        for (std::size_t entity = 0; entity < boundary_entities; ++entity)
            for (std::size_t point = 0; point < points_of(entity); ++point)
                visit(e, entity, point);
}

std::size_t point_index(const SmallCase& small, std::size_t e, std::size_t entity, std::size_t point) {
    return static_cast<std::size_t>(small.arrays().index[e / lanes][entity][e % lanes]) + point;
}

bool is_slave(const SmallCase& small, std::size_t e, std::size_t entity) {
    return (small.arrays().slaves[e] >> entity & 1U) != 0;
}

double value_at(const ElementValues& u, std::size_t node, std::size_t axis, std::size_t m) {
    const std::array<std::size_t, 3> strides{1, 5, 25};
    const std::size_t i = node / strides.at(axis) % 5;
    return u[node - i * strides.at(axis) + m * strides.at(axis)];
}

/// The sum over the axes of row·u along each line, the row scaled by the weights of the other axes where asked for.
double sum_along_axes(const Matrix5& matrix, const ElementValues& u, std::size_t node, bool weighted) {
    const std::array<std::size_t, 3> i{node % 5, node / 5 % 5, node / 25};
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double line = 0;
        for (std::size_t m = 0; m < 5; ++m)
            line += matrix[i.at(axis)][m] * value_at(u, node, axis, m);
        const double weight = gll_weights[i.at((axis + 1) % 3)] * gll_weights[i.at((axis + 2) % 3)];
        sum += weighted ? weight * line : line;
    }
    return sum;
}

TEST(UaReferenceElement, has_the_published_matrices) {
    EXPECT_NEAR(derivative[0][1], 6.756502488724238, 1e-14);
    EXPECT_NEAR(derivative[1][3], -0.7637626158259734, 1e-14);
    EXPECT_NEAR(child_interpolation[0][1][1], 0.7898516348912331, 1e-14);
    EXPECT_NEAR(child_interpolation[0][3][4], 0.04984442584781999, 1e-14);
    EXPECT_NEAR(parent_node_from_child[0], -0.1179652785083428, 1e-14);
    EXPECT_NEAR(parent_node_from_child[2], 0.7024534364259963, 1e-14);
}

TEST(UaReferenceElement, projects_polynomials_of_degree_4_onto_themselves) {
    for (int power = 0; power <= 4; ++power)
        for (std::size_t i = 0; i < inner_nodes; ++i) {
            double projected = 0;
            for (std::size_t p = 0; p < split_line_nodes; ++p) {
                const double x = p < 5 ? (gll_nodes[p] - 1) / 2 : (gll_nodes[p - 4] + 1) / 2;
                projected += mortar_projection[i][p] * std::pow(x, power);
            }
            EXPECT_NEAR(projected, std::pow(gll_nodes[i + 1], power), 1e-13);
        }
}

TEST(UaTransfer, carries_polynomials_of_degree_4_to_children_and_back) {
    const auto values_in = [](double x0, double y0, double z0, double size) {
        ElementValues values{};
        for (std::size_t node = 0; node < element_nodes; ++node)
            values[node] =
                polynomial(x0 + size * (gll_nodes[node % 5] + 1) / 2, y0 + size * (gll_nodes[node / 5 % 5] + 1) / 2,
                           z0 + size * (gll_nodes[node / 25] + 1) / 2);
        return values;
    };
    const ElementValues parent = values_in(0.25, 0.5, 0, 0.25);
    std::array<ElementValues, children> family{};
    for (std::size_t octant = 0; octant < children; ++octant) {
        const double x = static_cast<double>(octant & 1U);
        const double y = static_cast<double>(octant >> 1U & 1U);
        const double z = static_cast<double>(octant >> 2U);
        family[octant] = child_values(parent, octant);
        EXPECT_THAT(family[octant], testing::Pointwise(testing::DoubleNear(1e-13),
                                                       values_in(0.25 + 0.125 * x, 0.5 + 0.125 * y, 0.125 * z, 0.125)));
    }
    EXPECT_THAT(parent_values(family), testing::Pointwise(testing::DoubleNear(1e-13), parent));
}

TEST(UaMortar, gives_every_boundary_node_the_value_of_a_polynomial_that_the_points_have) {
    SmallCase small(1);
    const auto& arrays = small.arrays();
    const auto value = [&](std::size_t e, std::size_t entity, std::size_t point) {
        const auto place = place_of_node(arrays.constants[e / lanes], e % lanes, node_of_slot[slot_of(entity) + point]);
        return polynomial(place[0], place[1], place[2]);
    };
    std::vector<int> written(small.size().mortar_values());
    for_boundary_nodes(small, [&](std::size_t e, std::size_t entity, std::size_t point) {
        if (is_slave(small, e, entity)) return;
        const std::size_t index = point_index(small, e, entity, point);
        if (written[index]++ != 0) {
            EXPECT_NEAR(arrays.mortar[index], value(e, entity, point), 1e-14);
        }
        arrays.mortar[index] = value(e, entity, point);
    });
    for (std::size_t i = mortar_zeros; i < small.size().first_face_slave(); ++i)
        EXPECT_GT(written[i], 0) << "a number that no element has: " << i;
    small.run(
        [&](Worker& worker) { project_slaves(arrays, small.simulation().plan(worker), small.size(), arrays.mortar); });
    std::size_t slaves = 0;
    for_boundary_nodes(small, [&](std::size_t e, std::size_t entity, std::size_t point) {
        slaves += is_slave(small, e, entity) ? 1U : 0U;
        ASSERT_NEAR(arrays.mortar[point_index(small, e, entity, point)], value(e, entity, point), 1e-13);
    });
    EXPECT_GT(slaves, 100U);
}

TEST(UaMortar, sums_with_the_transpose_of_what_it_reads_with) {
    SmallCase small(3);
    const auto& arrays = small.arrays();
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::size_t i = mortar_zeros; i < small.size().first_face_slave(); ++i) {
        arrays.mortar[i] = uniform(random);
        arrays.inverse_diagonal[i] = 1;
    }
    std::vector<double> given(arrays.pool.size());
    for_boundary_nodes(small, [&](std::size_t e, std::size_t entity, std::size_t point) {
        const std::size_t place = value_index(e, slot_of(entity) + point);
        given[place] = arrays.pool[place] = uniform(random);
    });
    small.run([&](Worker& worker) {
        const WorkerPlan& plan = small.simulation().plan(worker);
        project_slaves(arrays, plan, small.size(), arrays.mortar);
        spread_slaves(arrays, plan, small.size());
        worker.barrier();
        start_residual(arrays, plan);
    });
    double element_product = 0;
    for_boundary_nodes(small, [&](std::size_t e, std::size_t entity, std::size_t point) {
        element_product +=
            given[value_index(e, slot_of(entity) + point)] * arrays.mortar[point_index(small, e, entity, point)];
    });
    double point_product = 0;
    for (std::size_t i = mortar_zeros; i < small.size().first_face_slave(); ++i)
        point_product += arrays.residual[i] * arrays.mortar[i];
    EXPECT_NEAR(element_product, point_product, 1e-10);
    EXPECT_GT(std::abs(element_product), 1e-3);
}

/// (p, Hp) for p = 1 at one point: an entry of the diagonal by its definition.
TEST(UaPreconditioner, is_the_diagonal_of_the_assembled_operator) {
    SmallCase small(1);
    const auto& arrays = small.arrays();
    std::size_t inside = 0;
    for (std::size_t i = mortar_zeros; i < small.size().first_face_slave(); i += 5) {
        double diagonal = 0;
        arrays.direction[i] = 1;
        small.run([&](Worker& worker) {
            const WorkerPlan& plan = small.simulation().plan(worker);
            project_slaves(arrays, plan, small.size(), arrays.direction);
            apply_to_direction(arrays, plan.blocks, 0, 0);
            diagonal = worker.sum_of(arrays.block_sums.first(small.size().blocks));
        });
        arrays.direction[i] = 0;
        if (arrays.inverse_diagonal[i] == 0) continue;  // on the surface
        ++inside;
        ASSERT_NEAR(arrays.inverse_diagonal[i] * diagonal, 1, 1e-12) << i;
    }
    EXPECT_GT(inside, 500U);
}

TEST(UaElementKernels, apply_the_Helmholtz_operator_of_the_definition) {
    SmallCase small(1);
    const auto& arrays = small.arrays();
    const double dt = small.problem().dt();
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (double& value : arrays.direction.subspan(mortar_zeros, small.size().mortar_points))
        value = uniform(random);
    for (double& value : arrays.inner_residual.first(small.size().blocks * block_inner_values))
        value = uniform(random);
    small.run([&](Worker& worker) {
        const WorkerPlan& plan = small.simulation().plan(worker);
        project_slaves(arrays, plan, small.size(), arrays.direction);
        apply_to_direction(arrays, plan.blocks, 0, 0);
    });
    double product = 0;
    for (std::size_t e = 0; e < small.size().elements; ++e) {
        ElementValues u{};
        for (std::size_t slot = 0; slot < inner_slots; ++slot)
            u[node_of_slot[slot]] = arrays.inner_direction[(e / lanes * inner_slots + slot) * lanes + e % lanes];
        for (std::size_t entity = 0; entity < boundary_entities; ++entity)
            for (std::size_t point = 0; point < points_of(entity); ++point)
                u[node_of_slot[slot_of(entity) + point]] = arrays.direction[point_index(small, e, entity, point)];
        const double g = arrays.constants[e / lanes].size[e % lanes] / 2;
        for (std::size_t node = 0; node < element_nodes; ++node) {
            const double expected =
                0.005 * g * sum_along_axes(stiffness, u, node, true) + g * g * g * node_weights[node] * u[node] / dt;
            ASSERT_NEAR(arrays.pool[value_index(e, slot_of_node[node])], expected, 1e-12 * (1 + std::abs(expected)));
            product += expected * u[node];
        }
    }
    double sum = 0;
    for (const double part : arrays.block_sums.first(small.size().blocks))
        sum += part;
    EXPECT_NEAR(sum, product, 1e-10 * std::abs(product));
}

double heat(const Source& source, const std::array<double, 3>& place) {
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        squared += std::pow(place.at(axis) - source.centre.at(axis), 2);
    const double pi = std::acos(-1.0);
    return squared <= source.radius * source.radius ? 1 + std::cos(pi * std::sqrt(squared) / source.radius) : 0;
}

TEST(UaElementKernels, convect_as_Runge_and_Kutta_say) {
    SmallCase small(1);
    const auto& arrays = small.arrays();
    std::mt19937 random(13);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (double& value : arrays.temperature.first(small.size().blocks * block_values))
        value = uniform(random);
    const std::vector<double> before(arrays.temperature.begin(), arrays.temperature.end());
    const double dt = small.problem().dt();
    const std::array<Source, 3> sources{Source{{0.43, 0.28, 0.29}, 0.09}, Source{{0.44, 0.29, 0.30}, 0.09},
                                        Source{{0.45, 0.30, 0.31}, 0.09}};
    small.run([&](Worker& worker) { convect(arrays, small.simulation().plan(worker).blocks, {dt, sources}); });
    std::size_t on_surface = 0;
    for (std::size_t e = 0; e < small.size().elements; ++e) {
        const BlockConstants& constants = arrays.constants[e / lanes];
        ElementValues start{};
        for (std::size_t node = 0; node < element_nodes; ++node)
            start[node] = before[value_index(e, slot_of_node[node])];
        const auto slope = [&](const ElementValues& u, const Source& source) {
            ElementValues f{};
            for (std::size_t node = 0; node < element_nodes; ++node)
                f[node] = -3 * (2 / constants.size[e % lanes]) * sum_along_axes(derivative, u, node, false) +
                          heat(source, place_of_node(constants, e % lanes, node));
            return f;
        };
        const auto ahead = [&](const ElementValues& k, double time) {
            ElementValues u{};
            for (std::size_t node = 0; node < element_nodes; ++node)
                u[node] = start[node] + time * k[node];
            return u;
        };
        const auto k1 = slope(start, sources[0]);
        const auto k2 = slope(ahead(k1, dt / 2), sources[1]);
        const auto k3 = slope(ahead(k2, dt / 2), sources[1]);
        const auto k4 = slope(ahead(k3, dt), sources[2]);
        for (std::size_t node = 0; node < element_nodes; ++node) {
            const auto place = place_of_node(constants, e % lanes, node);
            const bool surface = std::ranges::any_of(place, [](double x) { return x == 0 || x == 1; });
            on_surface += surface ? 1U : 0U;
            const double change = surface ? 0 : dt * (k1[node] + 2 * k2[node] + 2 * k3[node] + k4[node]) / 6;
            ASSERT_NEAR(arrays.temperature[value_index(e, slot_of_node[node])], start[node] + change, 1e-12);
        }
    }
    EXPECT_GT(on_surface, 100U);
}

}  // namespace
}  // namespace pinwise::npb::ua
