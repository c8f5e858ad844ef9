// npb-lu: lower-upper Gauss-Seidel solver. docs/workloads/npb.md says what it measures and how.

#include "workloads/npb/common/kernel_program.hpp"
#include "workloads/npb/lu/lu_kernel.hpp"

int main(int argc, char** argv) {
    return pinwise::npb::kernel_program(pinwise::npb::lu::kernel(), argc, argv);
}
