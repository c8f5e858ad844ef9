// npb-bt: block-tridiagonal solver. docs/workloads/npb.md says what it measures and how.

#include "workloads/npb/bt/bt_kernel.hpp"
#include "workloads/npb/common/kernel_program.hpp"

int main(int argc, char** argv) {
    return pinwise::npb::kernel_program(pinwise::npb::bt::kernel(), argc, argv);
}
