// npb-is: ranks of integer keys. docs/workloads/npb.md says what it measures and how.

#include "workloads/npb/common/kernel_program.hpp"
#include "workloads/npb/is/is_kernel.hpp"

int main(int argc, char** argv) {
    return pinwise::npb::kernel_program(pinwise::npb::is::kernel(), argc, argv);
}
