// npb-ua: heat on an adaptive mesh. docs/workloads/npb-ua.md says what it measures and how.

#include "workloads/npb/common/kernel_program.hpp"
#include "workloads/npb/ua/ua_kernel.hpp"

int main(int argc, char** argv) {
    return pinwise::npb::kernel_program(pinwise::npb::ua::kernel(), argc, argv);
}
