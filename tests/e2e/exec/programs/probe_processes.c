/* Ways to become several processes. The first argument chooses one. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void* report_cpu(void* argument) {
    *(int*)argument = sched_getcpu();
    return NULL;
}

static int one_thread(void) {
    pthread_t thread;
    int cpu = -1;
    if (pthread_create(&thread, NULL, report_cpu, &cpu) != 0) return 9;
    pthread_join(thread, NULL);
    return cpu >= 0 ? 0 : 9;
}

static volatile int stop;
static void* creates_always(void* argument) {
    while (!stop)
        one_thread();
    return argument;
}

/* forks: fork while another thread creates threads; each child creates one itself */
static int forks(void) {
    pthread_t busy;
    pthread_create(&busy, NULL, creates_always, NULL);
    int failed = 0;
    for (int i = 0; i < 20; ++i) {
        pid_t child = fork();
        if (child == 0) _exit(one_thread());
        int status = 0;
        waitpid(child, &status, 0);
        failed += status != 0;
    }
    stop = 1;
    pthread_join(busy, NULL);
    printf("failed %d\n", failed);
    return failed;
}

/* killed: children that create threads without end are killed; a sibling goes on */
static int killed(void) {
    for (int i = 0; i < 10; ++i) {
        pid_t child = fork();
        if (child == 0) creates_always(NULL);
        usleep(20000);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    pid_t sibling = fork();
    if (sibling == 0) _exit(one_thread());
    int status = 0;
    waitpid(sibling, &status, 0);
    printf("sibling %d\n", status);
    return status;
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "forks") == 0) return forks();
    if (strcmp(mode, "killed") == 0) return killed();
    if (strcmp(mode, "exec") == 0) { /* one thread, then the same process with another image */
        if (one_thread() != 0) return 9;
        execl(argv[0], argv[0], "thread", (char*)NULL);
    }
    if (strcmp(mode, "clearenv") == 0) { /* the new image is outside the session */
        clearenv();
        execl(argv[0], argv[0], "thread", (char*)NULL);
    }
    if (strcmp(mode, "closefds") == 0) {
        for (int descriptor = 0; descriptor < 1024; ++descriptor)
            close(descriptor);
        return one_thread();
    }
    if (strcmp(mode, "chroot") == 0) { /* no /proc in there */
        char folder[] = "/tmp/pinwise-chroot-XXXXXX";
        if (mkdtemp(folder) == NULL || chroot(folder) != 0 || chdir("/") != 0) return 8;
        return one_thread();
    }
    if (strcmp(mode, "vfork") == 0) { /* the child shares our memory, and sets an affinity of its own */
        cpu_set_t first;
        CPU_ZERO(&first);
        CPU_SET(0, &first);
        pid_t child = vfork();
        if (child == 0) _exit(sched_setaffinity(0, sizeof(first), &first) != 0);
        int status = 0;
        waitpid(child, &status, 0);
        return status != 0 ? 9 : one_thread();
    }
    if (strcmp(mode, "thread") == 0) return one_thread();
    return 9;
}
