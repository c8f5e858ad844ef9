#include "workloads/npb/common/kernel_program.hpp"
#include "workloads/npb/mg/kernel.hpp"

int main(int argc, char** argv) {
    return pinwise::npb::kernel_program(pinwise::npb::mg::kernel, argc, argv);
}
