#include "workloads/npb/ep/ep_reference.hpp"

namespace pinwise::npb::ep {

namespace {

constexpr double tolerance = 1e-8;

struct SignedSums {
    double x = 0;
    double y = 0;
};

struct ClassRow {
    unsigned log2_pairs = 0;
    std::optional<SignedSums> sums;
    double sum_abs_x = 0;
    double sum_abs_y = 0;
    std::uint64_t pairs = 0;
};

/// By class, S first.
constexpr std::array<ClassRow, all_classes.size()> rows{{
    {24, SignedSums{-3.247834652034740e+03, -6.958407078382297e+03}, 1.051299420395306e+07, 1.051517131857535e+07,
     13'176'389},
    {25, SignedSums{-2.863319731645753e+03, -6.320053679109499e+03}, 2.102505525182392e+07, 2.103162209578822e+07,
     26'354'769},
    {28, SignedSums{-4.295875165629892e+03, -1.580732573678431e+04}, 1.682235632304711e+08, 1.682195123368299e+08,
     210'832'767},
    {30, SignedSums{4.033815542441498e+04, -2.660669192809235e+04}, 6.728927543423024e+08, 6.728951822504275e+08,
     843'345'606},
    {32, SignedSums{4.764367927995374e+04, -8.084072988043731e+04}, 2.691444083862931e+09, 2.691519118724585e+09,
     3'373'275'903},
    {36, SignedSums{1.982481200946593e+05, -1.020596636361769e+05}, 4.306350280812112e+10, 4.306347571859157e+10,
     53'972'171'957},
    {40, SignedSums{-5.319717441530e+05, -3.688834557731e+05}, 6.890169663167274e+11, 6.890164670688535e+11,
     863'554'308'186},
    {44, std::nullopt, 1.102426773788175e+13, 1.102426773787993e+13, 13'816'870'608'324},
}};

const ClassRow& row_of(ProblemClass problem_class) {
    return rows.at(static_cast<std::size_t>(problem_class));
}

}  // namespace

Problem problem_of(ProblemClass problem_class) {
    return {row_of(problem_class).log2_pairs};
}

std::vector<Check> checks_of(ProblemClass problem_class, const PairTally& tally) {
    const ClassRow& row = row_of(problem_class);
    std::vector<Check> checks{exact_check("the number of Gaussian pairs", tally.pairs(), row.pairs),
                              relative_check("the sum of |X|", tally.sum_abs_x, row.sum_abs_x, tolerance),
                              relative_check("the sum of |Y|", tally.sum_abs_y, row.sum_abs_y, tolerance)};
    if (row.sums) {
        checks.push_back(relative_check("the sum of X", tally.sum_x, row.sums->x, tolerance));
        checks.push_back(relative_check("the sum of Y", tally.sum_y, row.sums->y, tolerance));
    }
    return checks;
}

}  // namespace pinwise::npb::ep
