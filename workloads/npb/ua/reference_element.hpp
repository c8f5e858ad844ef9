#pragma once
/// The spectral element of UA: polynomials of degree 4 on five Gauss-Lobatto-Legendre nodes a line, and every small
/// matrix that follows from them. All of it is known at compile time. Source: Feng, Van der Wijngaart, Biswas,
/// Mavriplis, NAS Technical Report NAS-04-006 (2004).

#include <array>
#include <cstddef>

namespace pinwise::npb::ua {

inline constexpr std::size_t line_nodes = 5;
inline constexpr std::size_t element_nodes = line_nodes * line_nodes * line_nodes;

using Line = std::array<double, line_nodes>;
using Matrix5 = std::array<Line, line_nodes>;  ///< [row][column]

/// Nodes in [−1, 1]: ±1, ±sqrt(3/7), 0, and their weights.
inline constexpr double inner_node = 0.65465367070797714379829245624686;
inline constexpr Line gll_nodes{-1.0, -inner_node, 0.0, inner_node, 1.0};
inline constexpr Line gll_weights{0.1, 49.0 / 90.0, 32.0 / 45.0, 49.0 / 90.0, 0.1};

/// Lagrange's basis polynomial of node m at x.
constexpr double lagrange(std::size_t m, double x) {
    double value = 1;
    for (std::size_t n = 0; n < line_nodes; ++n)
        if (n != m) value *= (x - gll_nodes[n]) / (gll_nodes[m] - gll_nodes[n]);
    return value;
}

namespace detail {

constexpr double legendre4(double x) {
    return ((35.0 * x * x - 30.0) * x * x + 3.0) / 8.0;
}

constexpr Matrix5 derivative() {
    Matrix5 d{};
    for (std::size_t i = 0; i < line_nodes; ++i)
        for (std::size_t j = 0; j < line_nodes; ++j)
            if (i != j) d[i][j] = legendre4(gll_nodes[i]) / (legendre4(gll_nodes[j]) * (gll_nodes[i] - gll_nodes[j]));
    d[0][0] = -5;
    d[4][4] = 5;
    return d;
}

constexpr Matrix5 stiffness(const Matrix5& d) {
    Matrix5 k{};
    for (std::size_t i = 0; i < line_nodes; ++i)
        for (std::size_t j = 0; j < line_nodes; ++j)
            for (std::size_t p = 0; p < line_nodes; ++p)
                k[i][j] += gll_weights[p] * d[p][i] * d[p][j];
    return k;
}

constexpr Matrix5 rows_over_weights(const Matrix5& k) {
    Matrix5 scaled{};
    for (std::size_t i = 0; i < line_nodes; ++i)
        for (std::size_t j = 0; j < line_nodes; ++j)
            scaled[i][j] = k[i][j] / gll_weights[i];
    return scaled;
}

/// Values at a child's nodes from those of its parent; the lower child is [−1, 0], the upper [0, 1].
constexpr Matrix5 child_interpolation(double shift) {
    Matrix5 matrix{};
    for (std::size_t i = 0; i < line_nodes; ++i)
        for (std::size_t m = 0; m < line_nodes; ++m)
            matrix[i][m] = lagrange(m, (gll_nodes[i] + shift) / 2);
    return matrix;
}

}  // namespace detail

/// Derivative in [−1, 1]: row = node, column = basis function.
inline constexpr Matrix5 derivative = detail::derivative();
/// K_ij = Σ_p w_p D_pi D_pj
inline constexpr Matrix5 stiffness = detail::stiffness(derivative);
/// K_ij / w_i
inline constexpr Matrix5 weak_second_derivative = detail::rows_over_weights(stiffness);
inline constexpr std::array<Matrix5, 2> child_interpolation{detail::child_interpolation(-1),
                                                            detail::child_interpolation(1)};

/// A parent's node 2 (1-based) from its lower child's nodes; node 4 is the mirror image from the upper child.
inline constexpr Line parent_node_from_child = [] {
    Line mu{};
    for (std::size_t m = 0; m < line_nodes; ++m)
        mu[m] = lagrange(m, 2 * gll_nodes[1] + 1);
    return mu;
}();

/// w_i w_j w_k of node i + 5j + 25k.
inline constexpr std::array<double, element_nodes> node_weights = [] {
    std::array<double, element_nodes> weights{};
    for (std::size_t node = 0; node < element_nodes; ++node)
        weights[node] = gll_weights[node % 5] * gll_weights[node / 5 % 5] * gll_weights[node / 25];
    return weights;
}();

/// Nodes of two half segments in a row, the middle one shared.
inline constexpr std::size_t split_line_nodes = 9;
/// Inner nodes of a line.
inline constexpr std::size_t inner_nodes = 3;
using MortarProjection = std::array<std::array<double, split_line_nodes>, inner_nodes>;

/// The inner nodes of a coarse edge from the nine nodes of the two fine ones along it: with its ends prescribed, the
/// polynomial whose difference from the piecewise one is orthogonal to those of degree 2 on the coarse edge.
inline constexpr MortarProjection mortar_projection = [] {
    // The part of the lower half; that of the upper is its mirror image.
    constexpr std::array<Line, inner_nodes> lower{
        {{-0.1772843218615690, 0.7152146412463197, 0.4398680650316104, 0.08333333333333333, 0},
         {0.09375, -0.2285757930375471, 0.2083333333333333, 0.3561799597042137, 0.0703125},
         {-0.03700139242414530, 0.08333333333333333, -0.05891568407922938, -0.04854797457965334, 0}}};
    MortarProjection whole{};
    for (std::size_t i = 0; i < inner_nodes; ++i)
        for (std::size_t j = 0; j < line_nodes; ++j) {
            whole[i][j] += lower[i][j];
            whole[i][8 - j] += lower[inner_nodes - 1 - i][j];
        }
    return whole;
}();

}  // namespace pinwise::npb::ua
