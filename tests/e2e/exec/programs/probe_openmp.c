/* One parallel region; each thread says where its first instruction there ran. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
#pragma omp parallel num_threads(4)
    {
        int cpu = sched_getcpu();
#pragma omp critical
        printf("%d %d\n", omp_get_thread_num(), cpu);
    }
    return 0;
}
