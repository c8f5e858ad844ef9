/* Ways to set and ask for affinities. The first argument chooses one, the second is a CPU. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static cpu_set_t only(int cpu) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    return cpus;
}

/* The mask that the kernel knows of, whatever the functions say. */
static void print_true_mask(const char* what) {
    char line[256];
    FILE* file = fopen("/proc/thread-self/status", "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "Cpus_allowed_list:", 18) == 0) printf("%s %s", what, line + 19);
    if (file != NULL) fclose(file);
}

static void print_seen_mask(void) {
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof(cpus), &cpus);
    unsigned char raw[1024];
    memset(raw, 0, sizeof(raw));
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(raw), raw);
    printf("seen %d CPUs, by system call %d, bytes %d\n", CPU_COUNT(&cpus), __builtin_popcount(raw[0]), bytes > 0);
}

static pthread_barrier_t turns;
static void* waits(void* argument) {
    pthread_barrier_wait(&turns);
    pthread_barrier_wait(&turns);
    print_true_mask("thread");
    print_seen_mask();
    return argument;
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    cpu_set_t cpus = only(argc > 2 ? atoi(argv[2]) : 0);
    if (strcmp(mode, "self") == 0) printf("set %d\n", sched_setaffinity(0, sizeof(cpus), &cpus));
    if (strcmp(mode, "handle") == 0) printf("set %d\n", pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus));
    if (strcmp(mode, "syscall") == 0) printf("set %ld\n", syscall(SYS_sched_setaffinity, 0, sizeof(cpus), &cpus));
    if (strcmp(mode, "absent") == 0) {
        cpus = only(1023);
        printf("set %d\n", sched_setaffinity(0, sizeof(cpus), &cpus));
    }
    if (strcmp(mode, "other") == 0) { /* the creator binds a thread by its handle as soon as it has one */
        pthread_t thread;
        pthread_barrier_init(&turns, NULL, 2);
        pthread_create(&thread, NULL, waits, NULL);
        printf("set %d\n", pthread_setaffinity_np(thread, sizeof(cpus), &cpus));
        pthread_barrier_wait(&turns);
        pthread_barrier_wait(&turns);
        pthread_join(thread, NULL);
        return 0;
    }
    print_true_mask("main");
    print_seen_mask();
    return 0;
}
