// npb-cg: an eigenvalue of a sparse matrix by conjugate gradients. docs/workloads/npb.md says what it measures and how.

#include "workloads/npb/cg/cg_kernel.hpp"
#include "workloads/npb/common/kernel_program.hpp"

int main(int argc, char** argv) {
    return pinwise::npb::kernel_program(pinwise::npb::cg::kernel(), argc, argv);
}
