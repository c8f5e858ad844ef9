// npb-ep: Gaussian pairs from random numbers. docs/workloads/npb.md says what it measures and how.

#include "workloads/npb/common/kernel_program.hpp"
#include "workloads/npb/ep/ep_kernel.hpp"

int main(int argc, char** argv) {
    return pinwise::npb::kernel_program(pinwise::npb::ep::kernel(), argc, argv);
}
