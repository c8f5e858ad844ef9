/* Uses large memory for a while. Arguments: WHAT [THREADS] [MILLISECONDS] */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { words = 2 << 20 }; /* 16 MiB */
static double static_array[words];
static double* array;
static int milliseconds = 100;

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void use(void) {
    const double end = cpu_ms() + milliseconds;
    while (cpu_ms() < end)
        for (int i = 0; i < words; i += 64)
            array[i] += 1;
}

static void* uses(void* argument) {
    double sum = 0;
    const double end = cpu_ms() + milliseconds;
    while (cpu_ms() < end)
        for (int i = 0; i < words; i += 64)
            sum += array[i];
    return sum < 0 ? argument : NULL;
}

static int use_in_threads(int count) {
    pthread_t threads[16];
    for (int i = 0; i < count; ++i)
        if (pthread_create(&threads[i], NULL, uses, NULL) != 0) return 1;
    for (int i = 0; i < count; ++i)
        pthread_join(threads[i], NULL);
    return 0;
}

static int count_threads(void) {
    int count = 0;
    DIR* tasks = opendir("/proc/self/task");
    for (struct dirent* entry = readdir(tasks); entry != NULL; entry = readdir(tasks))
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return printf("%d threads\n", count) < 0;
}

static int sleep_often(void) {
    const double end = cpu_ms() + milliseconds;
    while (cpu_ms() < end) {
        for (int i = 0; i < words; i += 64)
            array[i] += 1;
        const struct timespec moment = {0, 2000};
        if (nanosleep(&moment, NULL) != 0 || poll(NULL, 0, 1) != 0) return printf("%s\n", strerror(errno));
    }
    return printf("not interrupted\n") < 0;
}

static sigjmp_buf back;
static void refused(int signal_number) {
    siglongjmp(back, signal_number);
}

static int write_to_readonly(void) {
    if (mprotect(array, words * sizeof(double), PROT_READ) != 0) return 1;
    uses(NULL);
    signal(SIGSEGV, refused);
    for (int i = 0; i < words; i += 4096) {
        if (sigsetjmp(back, 1) == 0) {
            array[i] = 1;
            return printf("written at %d\n", i);
        }
    }
    return printf("refused\n") < 0;
}

int main(int count, char** arguments) {
    if (count < 2) return 2;
    const char* what = arguments[1];
    const int threads = count > 2 ? atoi(arguments[2]) : 1;
    if (count > 3) milliseconds = atoi(arguments[3]);
    const size_t bytes = words * sizeof(double);
    array = strcmp(what, "static") == 0 ? static_array
                                        : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (array == MAP_FAILED) return 1;
    memset(array, 0, bytes);
    if (strcmp(what, "locked") == 0) mlockall(MCL_CURRENT);
    use();
    if (strcmp(what, "sum") == 0) return use_in_threads(threads);
    if (strcmp(what, "threads") == 0) return count_threads();
    if (strcmp(what, "sleeps") == 0) return sleep_often();
    if (strcmp(what, "readonly") == 0) return write_to_readonly();
    if (strcmp(what, "kill") == 0) kill(getpid(), SIGKILL);
    return 0;
}
