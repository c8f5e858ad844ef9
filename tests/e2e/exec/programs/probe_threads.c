/* Ways to create and end threads. The first argument chooses one; each prints facts that a test compares. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

static void fail(const char* what) {
    printf("FAILED %s\n", what);
    exit(9);
}

static void* report_cpu(void* argument) {
    *(int*)argument = sched_getcpu();
    return argument;
}

/* first: four threads, the CPU each was on first, in order of creation */
static int first(void) {
    pthread_t threads[4];
    int cpus[4];
    for (int i = 0; i < 4; ++i) {
        if (pthread_create(&threads[i], NULL, report_cpu, &cpus[i]) != 0) fail("create");
    }
    for (int i = 0; i < 4; ++i) {
        void* result = NULL;
        pthread_join(threads[i], &result);
        if (result != &cpus[i]) fail("return value");
    }
    printf("main %d threads %d %d %d %d\n", sched_getcpu(), cpus[0], cpus[1], cpus[2], cpus[3]);
    return 0;
}

static size_t stack_of_thread;
static int detach_of_thread;
static int usr2_blocked;
static volatile int detached_done;

static void* report_attributes(void* argument) {
    pthread_attr_t own;
    pthread_getattr_np(pthread_self(), &own);
    pthread_attr_getstacksize(&own, &stack_of_thread);
    pthread_attr_getdetachstate(&own, &detach_of_thread);
    pthread_attr_destroy(&own);
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    usr2_blocked = sigismember(&blocked, SIGUSR2);
    __atomic_store_n(&detached_done, 1, __ATOMIC_SEQ_CST);
    return argument;
}

/* attributes: a detached thread with a stack of its own size and a signal mask; then one on the smallest stack */
static int attributes(void) {
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, 1 << 20);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    pthread_attr_setsigmask_np(&attr, &signals);
    pthread_t thread;
    for (int i = 0; i < 2; ++i) {
        detached_done = 0;
        if (pthread_create(&thread, &attr, report_attributes, NULL) != 0) fail("create");
        while (!__atomic_load_n(&detached_done, __ATOMIC_SEQ_CST))
            usleep(1000);
        printf("stack %zu detached %d blocked %d\n", stack_of_thread, detach_of_thread == PTHREAD_CREATE_DETACHED,
               usr2_blocked);
    }
    cpu_set_t cpus;
    if (pthread_attr_getaffinity_np(&attr, sizeof(cpus), &cpus) != 0 || CPU_COUNT(&cpus) != CPU_SETSIZE)
        fail("attr changed");
    pthread_attr_destroy(&attr);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
    int cpu = -1;
    if (pthread_create(&thread, &attr, report_cpu, &cpu) != 0) fail("smallest stack");
    pthread_join(thread, NULL);
    printf("smallest stack %d\n", cpu >= 0);
    return 0;
}

/* affinity CPU: a thread whose attributes name a CPU */
static int affinity(int cpu) {
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
    int seen = -1;
    pthread_t thread;
    if (pthread_create(&thread, &attr, report_cpu, &seen) != 0) fail("create");
    pthread_join(thread, NULL);
    printf("cpu %d\n", seen);
    return 0;
}

static int c11_routine(void* argument) {
    return *(int*)argument == 5 ? -3 : 0;
}
static int c11_exit(void* argument) {
    (void)argument;
    thrd_exit(77);
}

/* c11: results of thrd_create threads */
static int c11(void) {
    thrd_t thread;
    int five = 5;
    int result = 0;
    if (thrd_create(&thread, c11_routine, &five) != thrd_success) fail("create");
    thrd_join(thread, &result);
    printf("returned %d", result);
    if (thrd_create(&thread, c11_exit, NULL) != thrd_success) fail("create");
    thrd_join(thread, &result);
    printf(" exited %d\n", result);
    return 0;
}

static void note_cleanup(void* argument) {
    *(int*)argument = 1;
}
static void* exits(void* argument) {
    pthread_cleanup_push(note_cleanup, argument);
    pthread_exit((void*)42);
    pthread_cleanup_pop(0);
    return NULL;
}
static void* waits(void* argument) {
    pthread_cleanup_push(note_cleanup, argument);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return NULL;
}

/* ends: pthread_exit and cancellation, with their cleanup handlers */
static int ends(void) {
    int cleaned = 0;
    void* result = NULL;
    pthread_t thread;
    pthread_create(&thread, NULL, exits, &cleaned);
    pthread_join(thread, &result);
    printf("exit %ld cleaned %d ", (long)(intptr_t)result, cleaned);
    cleaned = 0;
    pthread_create(&thread, NULL, waits, &cleaned);
    usleep(20000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("canceled %d cleaned %d ", result == PTHREAD_CANCELED, cleaned);
    pthread_create(&thread, NULL, waits, &cleaned);
    pthread_cancel(thread); /* pending before it runs */
    pthread_join(thread, &result);
    printf("at once %d\n", result == PTHREAD_CANCELED);
    return 0;
}

/* Memory of our own, without what is shared with others (the agent's records are). */
static long private_kib(void) {
    char line[256];
    long kib = -1;
    FILE* file = fopen("/proc/self/status", "r");
    if (file == NULL) fail("status");
    while (kib < 0 && fgets(line, sizeof(line), file) != NULL)
        sscanf(line, "RssAnon: %ld", &kib);
    fclose(file);
    return kib;
}

static void* nothing(void* argument) {
    return argument;
}

/* churn N: short threads one after the other; growth of private memory after the first tenth, in KiB */
static int churn(int count) {
    long early = 0;
    for (int i = 0; i < count; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, nothing, NULL) != 0) fail("create");
        pthread_join(thread, NULL);
        if (i == count / 10) early = private_kib();
    }
    printf("grown %ld\n", private_kib() - early);
    return 0;
}

static void* creates(void* argument) {
    churn(100);
    return argument;
}

/* concurrent: four threads that each create a hundred */
static int concurrent(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
        pthread_create(&threads[i], NULL, creates, NULL);
    for (int i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
    return 0;
}

static volatile int stop;
static sem_t end_of_sleep;
static void* sleeps(void* argument) {
    sem_wait(&end_of_sleep);
    return argument;
}
static void* spins(void* argument) {
    *(int*)argument = sched_getcpu();
    while (!stop) {
    }
    return NULL;
}

/* helper: a sleeping helper thread, later a worker. With two CPUs the helper must not take the worker's. */
static int helper(void) {
    pthread_t sleeper;
    pthread_t worker;
    int cpu = -1;
    sem_init(&end_of_sleep, 0, 0);
    pthread_create(&sleeper, NULL, sleeps, NULL);
    usleep(50000);
    int own = sched_getcpu();
    pthread_create(&worker, NULL, spins, &cpu);
    usleep(20000);
    stop = 1;
    sem_post(&end_of_sleep);
    pthread_join(worker, NULL);
    pthread_join(sleeper, NULL);
    printf("apart %d\n", own != cpu);
    return 0;
}

static void* crashes(void* argument) {
    usleep(20000);
    raise(SIGSEGV);
    return argument;
}

/* crash: a thread dies of SIGSEGV */
static int crash(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, crashes, NULL);
    pthread_join(thread, NULL);
    return 0;
}

/* refused: creation fails as it does without anybody watching, and leaves errno alone */
static int refused(void) {
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)1 << 46);
    pthread_t thread;
    errno = 77;
    int result = pthread_create(&thread, &attr, nothing, NULL);
    printf("EAGAIN %d errno %d\n", result == EAGAIN, errno);
    return first();
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    int number = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(mode, "first") == 0) return first();
    if (strcmp(mode, "attributes") == 0) return attributes();
    if (strcmp(mode, "affinity") == 0) return affinity(number);
    if (strcmp(mode, "c11") == 0) return c11();
    if (strcmp(mode, "ends") == 0) return ends();
    if (strcmp(mode, "churn") == 0) return churn(number);
    if (strcmp(mode, "concurrent") == 0) return concurrent();
    if (strcmp(mode, "helper") == 0) return helper();
    if (strcmp(mode, "crash") == 0) return crash();
    if (strcmp(mode, "refused") == 0) return refused();
    fail(mode);
    return 1;
}
