/* Uses large memory for a while. Arguments: WHAT [THREADS] [MILLISECONDS] */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

/* From now on the kernel answers this call with EPERM, or kills. */
static int forbid(unsigned int number, unsigned int answer) {
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof(instructions) / sizeof(instructions[0]), instructions};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0;
}

/* A sandbox in which a system call that is not foreseen is the end. */
static int enter_sandbox(void) {
    if (forbid(SYS_mprotect, SECCOMP_RET_KILL_PROCESS) != 0) return 8;
    use();
    return printf("in the sandbox\n") < 0;
}

static int run_without(unsigned int number, char* self) {
    if (forbid(number, SECCOMP_RET_ERRNO | EPERM) != 0) return 8;
    execl(self, self, "static", "1", "100", (char*)NULL);
    return 9;
}

/* Afterwards every second granule of 64 KiB is armed, if anybody arms memory. */
static void use_every_second(void) {
    enum { words_in_granule = (64 << 10) / sizeof(double) };
    const double end = cpu_ms() + milliseconds;
    while (cpu_ms() < end)
        for (int i = 0; i < words; i += 2 * words_in_granule)
            array[i] += 1;
}

/* How many mappings it may have. */
static int count_mappings(void) {
    enum { most = 1 << 17, page = 4096 };
    use_every_second();
    char* pages = mmap(NULL, (size_t)most * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int made = 0;
    while (2 * made < most && mprotect(pages + (size_t)made * 2 * page, page, PROT_READ | PROT_WRITE) == 0)
        ++made;
    return printf("%d\n", made) < 0;
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
    if (strcmp(what, "mappings") == 0) return count_mappings();
    if (strcmp(what, "sandbox") == 0) return enter_sandbox();
    if (strcmp(what, "no_mincore") == 0) return run_without(SYS_mincore, arguments[0]);
    if (strcmp(what, "no_timer") == 0) return run_without(SYS_timer_create, arguments[0]);
    if (strcmp(what, "kill") == 0) kill(getpid(), SIGKILL);
    return 0;
}
