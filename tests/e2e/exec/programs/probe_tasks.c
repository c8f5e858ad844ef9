/* Tasks made and ended in ways that a tracer must get right; linked statically. The first argument chooses one. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char* what) {
    printf("FAILED %s\n", what);
    exit(9);
}

static int cpus_of_mask(void) {
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0) fail("sched_getaffinity");
    return CPU_COUNT(&cpus);
}

enum { max_tasks = 8 };
static char stacks[max_tasks][16384] __attribute__((aligned(16)));
static volatile int cpu_of_task[max_tasks];
static volatile int tasks_done;

/* Without thread-local storage of its own: nothing of the C library but system calls may be used. */
static int raw_task(void* argument) {
    unsigned cpu = 0;
    syscall(SYS_getcpu, &cpu, NULL, NULL);
    *(volatile int*)argument = (int)cpu;
    __atomic_fetch_add(&tasks_done, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_exit, 0);
    return 0;
}

/* raw [untraced]: four threads made by clone, the CPU each was on first */
static int raw(int more_flags) {
    const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    for (int i = 0; i < 4; ++i) {
        if (clone(raw_task, stacks[i] + sizeof(stacks[i]), flags | more_flags, (void*)&cpu_of_task[i]) < 0)
            fail("clone");
    }
    while (__atomic_load_n(&tasks_done, __ATOMIC_SEQ_CST) < 4)
        usleep(1000);
    printf("threads %d %d %d %d\n", cpu_of_task[0], cpu_of_task[1], cpu_of_task[2], cpu_of_task[3]);
    return 0;
}

static volatile int stop;
static void* spins(void* argument) {
    *(volatile int*)argument = sched_getcpu();
    while (!stop) {
    }
    return NULL;
}

/* spin: eight threads that never sleep, the CPU each was on first */
static int spin(void) {
    pthread_t threads[max_tasks];
    for (int i = 0; i < max_tasks; ++i) {
        if (pthread_create(&threads[i], NULL, spins, (void*)&cpu_of_task[i]) != 0) fail("create");
    }
    usleep(200000);
    stop = 1;
    printf("threads");
    for (int i = 0; i < max_tasks; ++i) {
        pthread_join(threads[i], NULL);
        printf(" %d", cpu_of_task[i]);
    }
    printf("\n");
    return 0;
}

static void* executes(void* program) {
    execl(program, program, "report", (char*)NULL);
    fail("exec");
    return NULL;
}

/* exec: a thread other than the initial one calls exec, while others spin */
_Noreturn static void exec_from_thread(char* program) {
    pthread_t thread;
    cpu_of_task[0] = -1;
    pthread_create(&thread, NULL, spins, (void*)&cpu_of_task[0]);
    while (cpu_of_task[0] < 0)
        usleep(1000);
    pthread_create(&thread, NULL, executes, program);
    for (;;)
        pause();
}

/* Status of a child of vfork that calls exec, or ends at once where `program` is null. */
static __attribute__((noinline)) int status_of_vfork(char* program) {
    pid_t child = vfork();
    if (child == 0) {
        if (program != NULL) execl(program, program, "report", (char*)NULL);
        _exit(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

/* vfork: children of vfork, one that execs and one that does not */
static int vforks(char* program) {
    int with_exec = status_of_vfork(program);
    int without = status_of_vfork(NULL);
    printf("statuses %d %d\n", with_exec, without);
    return 0;
}

static volatile int signals_seen;
static void count_signal(int signal) {
    (void)signal;
    ++signals_seen;
}

/* children N: N children one after the other, each with another status; SIGCHLD comes for each */
static int children(int count) {
    struct sigaction action = {.sa_handler = count_signal};
    sigaction(SIGCHLD, &action, NULL);
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        pid_t child = fork();
        if (child == 0) _exit(i % 100);
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        wrong += WEXITSTATUS(status) != i % 100;
    }
    printf("wrong %d signals %d\n", wrong, signals_seen);
    return 0;
}

/* jobs: what a parent is told of a child that stops, continues and is killed, as a shell needs it. The child is a job
   of its own: in a process group without a shell, SIGTSTP would be dropped. */
static int jobs(void) {
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        raise(SIGTSTP);
        for (;;)
            pause();
    }
    int status = 0;
    waitpid(child, &status, WUNTRACED);
    printf("stopped %d ", WIFSTOPPED(status) ? WSTOPSIG(status) : -1);
    kill(child, SIGCONT);
    waitpid(child, &status, WCONTINUED);
    printf("continued %d ", WIFCONTINUED(status));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    printf("killed %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -1);
    return 0;
}

/* stop: the process stops itself while another thread spins */
static int stops(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, spins, (void*)&cpu_of_task[0]);
    raise(SIGSTOP);
    printf("continued\n");
    fflush(stdout);
    _exit(5);
}

static void* ends_process(void* argument) {
    usleep(30000);
    exit(3);
    return argument;
}

/* leader: the initial thread ends before the others */
static int leader(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, ends_process, NULL);
    pthread_exit(NULL);
}

/* daemon FILE: the parent ends, its child writes the file afterwards */
static int leaves_daemon(const char* path) {
    if (fork() == 0) {
        usleep(300000);
        FILE* file = fopen(path, "w");
        if (file != NULL) fclose(file);
        _exit(0);
    }
    return 0;
}

/* trace: asks to be traced, as programs under a debugger do */
static int asks_to_be_traced(void) {
    long result = ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    printf("refused %d\n", result != 0 && errno == EPERM);
    return 0;
}

static int report(void) {
    printf("cpu %d of %d, pid is tid %d\n", sched_getcpu(), cpus_of_mask(), getpid() == gettid());
    return 0;
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "raw") == 0) return raw(argc > 2 ? CLONE_UNTRACED : 0);
    if (strcmp(mode, "spin") == 0) return spin();
    if (strcmp(mode, "exec") == 0) exec_from_thread(argv[0]);
    if (strcmp(mode, "vfork") == 0) return vforks(argv[0]);
    if (strcmp(mode, "children") == 0) return children(atoi(argv[2]));
    if (strcmp(mode, "jobs") == 0) return jobs();
    if (strcmp(mode, "stop") == 0) return stops();
    if (strcmp(mode, "leader") == 0) return leader();
    if (strcmp(mode, "daemon") == 0) return leaves_daemon(argv[2]);
    if (strcmp(mode, "trace") == 0) return asks_to_be_traced();
    if (strcmp(mode, "report") == 0) return report();
    if (strcmp(mode, "status") == 0) return atoi(argv[2]);
    if (strcmp(mode, "signal") == 0) return raise(atoi(argv[2]));
    fail(mode);
    return 1;
}
