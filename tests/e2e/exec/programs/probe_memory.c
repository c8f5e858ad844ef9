/* The memory policy of this program as the kernel knows it: mode and first word of the nodes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int mode = -1;
    unsigned long nodes[64];
    memset(nodes, 0, sizeof(nodes));
    if (syscall(SYS_get_mempolicy, &mode, nodes, 8UL * sizeof(nodes), NULL, 0) != 0)
        printf("errno %d\n", errno);
    else
        printf("mode %d nodes %lx\n", mode, nodes[0]);
    return 0;
}
