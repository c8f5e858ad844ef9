// npb-sp: scalar pentadiagonal solver. docs/workloads/npb.md says what it measures and how.

#include "workloads/npb/common/kernel_program.hpp"
#include "workloads/npb/sp/sp_kernel.hpp"

int main(int argc, char** argv) {
    return pinwise::npb::kernel_program(pinwise::npb::sp::kernel(), argc, argv);
}
