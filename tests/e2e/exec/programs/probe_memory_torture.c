/* Everything a program may do with large memory, signals and processes, in an order that a seed decides, with every
 * byte checked. Prints the same for the same seed, whoever watches. Arguments: SEED [STEPS] */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { blocks = 4, threads = 3, page = 4096 };
static const size_t mib = 1 << 20;

enum kind { none, heap, mapped };
struct block {
    enum kind kind;
    unsigned char* start;
    size_t bytes;
    unsigned char salt;
};
static struct block all[blocks];
static uint64_t state;
static uint64_t checksum;

static unsigned pick(unsigned below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(state >> 33) % below;
}

static void note(uint64_t value) {
    checksum = (checksum ^ value) * 1099511628211U;
}

static void fail(const char* what) {
    printf("FAILED %s: %s\n", what, strerror(errno));
    fflush(stdout);
    _exit(9);
}

/* One byte in 256, so that a pass over a block is quick and touches every page. */
static unsigned char expected(const struct block* b, size_t at) {
    return (unsigned char)(at / 256 * 31 + b->salt);
}

static void fill(struct block* b, size_t from) {
    for (size_t at = (from + 255) / 256 * 256; at < b->bytes; at += 256)
        b->start[at] = expected(b, at);
}

static void check(const struct block* b, const char* when) {
    for (size_t at = 0; at < b->bytes; at += 256)
        if (b->start[at] != expected(b, at)) fail(when);
    note(b->bytes);
}

static void make(struct block* b) {
    b->bytes = (5 + pick(6)) * mib + pick(3) * page;
    b->salt = (unsigned char)pick(256);
    switch (pick(4)) {
        case 0:
            b->kind = heap;
            b->start = malloc(b->bytes);
            break;
        case 1:
            b->kind = heap;
            b->start = calloc(b->bytes / 8 + 1, 8);
            break;
        case 2:
            b->kind = heap;
            b->start = aligned_alloc(2 * mib, (b->bytes + 2 * mib - 1) / (2 * mib) * (2 * mib));
            break;
        default:
            b->kind = mapped;
            b->start = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (b->start == MAP_FAILED) b->start = NULL;
            break;
    }
    if (b->start == NULL) fail("allocate");
    fill(b, 0);
}

static void drop(struct block* b) {
    if (b->kind == heap) free(b->start);
    if (b->kind == mapped && munmap(b->start, b->bytes) != 0) fail("munmap");
    memset(b, 0, sizeof(*b));
}

static void resize(struct block* b) {
    const size_t before = b->bytes;
    const size_t bytes = (5 + pick(8)) * mib;
    if (b->kind == heap) {
        b->start = realloc(b->start, bytes);
        if (b->start == NULL) fail("realloc");
    } else {
        b->start = mremap(b->start, b->bytes, bytes, MREMAP_MAYMOVE);
        if (b->start == MAP_FAILED) fail("mremap");
    }
    b->bytes = bytes;
    fill(b, before < bytes ? before : bytes);
    check(b, "after resizing");
}

/* Pages that are given back are zero when they are used again. */
static void give_back(struct block* b) {
    unsigned char* from = (unsigned char*)(((uintptr_t)b->start + page - 1) & ~(uintptr_t)(page - 1));
    const size_t bytes = (1 + pick(4)) * mib + pick(16) * page;
    if (madvise(from, bytes, MADV_DONTNEED) != 0) fail("madvise");
    for (size_t at = 0; at < bytes; at += 256)
        if (from[at] != 0) fail("memory that was given back has something in it");
    fill(b, 0);
    check(b, "after it was given back");
}

/* ---- faults of the program's own */

static sigjmp_buf back;
static volatile sig_atomic_t caught;
static volatile uintptr_t caught_at;
static char* alternate;

static int on_alternate_stack(const void* address) {
    return (const char*)address >= alternate && (const char*)address < alternate + 65536;
}

static volatile int was_on_alternate;
static void jumps(int signal_number, siginfo_t* info, void* context) {
    (void)context;
    const char here = 0;
    was_on_alternate = on_alternate_stack(&here);
    if (signal_number != SIGSEGV) _exit(8);
    ++caught;
    caught_at = (uintptr_t)info->si_addr;
    siglongjmp(back, 1);
}

static unsigned char* writable_page;
static void repairs(int signal_number, siginfo_t* info, void* context) {
    (void)signal_number;
    (void)context;
    ++caught;
    caught_at = (uintptr_t)info->si_addr;
    if (mprotect(writable_page, page, PROT_READ | PROT_WRITE) != 0) _exit(8);
}

static void set_handler(void (*handler)(int, siginfo_t*, void*), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | flags;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    if (sigaction(SIGSEGV, &action, NULL) != 0) fail("sigaction");
    struct sigaction told;
    if (sigaction(SIGSEGV, NULL, &told) != 0 || told.sa_sigaction != handler || !sigismember(&told.sa_mask, SIGUSR1) ||
        (told.sa_flags & flags) != flags)
        fail("sigaction does not tell what was set");
}

static void fault_and_jump(struct block* b) {
    const int stack = pick(2) ? SA_ONSTACK : 0;
    const int once = pick(3) == 0 ? (int)SA_RESETHAND : 0;
    set_handler(jumps, stack | once);
    unsigned char* wall = (unsigned char*)(((uintptr_t)b->start + b->bytes / 2) & ~(uintptr_t)(page - 1));
    const int protection = pick(2) ? PROT_READ : PROT_NONE;
    const unsigned char kept = wall[0];
    if (mprotect(wall, page, protection) != 0) fail("mprotect");
    caught = 0;
    if (sigsetjmp(back, 1) == 0) {
        *(volatile unsigned char*)wall = 1;
        fail("a write to memory that cannot be written went through");
    }
    if (caught != 1 || caught_at != (uintptr_t)wall) fail("the fault was not told right");
    if (was_on_alternate != (stack != 0)) fail("the handler ran on the wrong stack");
    if (mprotect(wall, page, PROT_READ | PROT_WRITE) != 0) fail("mprotect back");
    if (wall[0] != kept) fail("protected memory changed");
    struct sigaction told;
    sigaction(SIGSEGV, NULL, &told);
    if ((told.sa_handler == SIG_DFL) != (once != 0)) fail("SA_RESETHAND");
    signal(SIGSEGV, SIG_DFL);
    note(3);
}

static void fault_and_repair(struct block* b) {
    set_handler(repairs, pick(2) ? SA_NODEFER : 0);
    writable_page = (unsigned char*)(((uintptr_t)b->start + b->bytes / 3) & ~(uintptr_t)(page - 1));
    unsigned char* at = writable_page + 7;
    if (mprotect(writable_page, page, PROT_READ) != 0) fail("mprotect");
    caught = 0;
    *(volatile unsigned char*)at = 42;
    if (caught != 1 || *at != 42) fail("the handler did not repair the write");
    signal(SIGSEGV, SIG_DFL);
    note(4);
}

static volatile uintptr_t nothing = 8;

static void fault_at_nothing(void) {
    set_handler(jumps, 0);
    caught = 0;
    if (sigsetjmp(back, 1) == 0) *(volatile int*)nothing = 1;
    if (caught != 1 || caught_at != 8) fail("a null pointer was not told right");
    signal(SIGSEGV, SIG_DFL);
    note(5);
}

static void mask_signals(struct block* b) {
    sigset_t everything;
    sigset_t before;
    sigset_t told;
    sigfillset(&everything);
    if (sigprocmask(SIG_SETMASK, &everything, &before) != 0) fail("sigprocmask");
    check(b, "with all signals blocked");
    pthread_sigmask(SIG_SETMASK, NULL, &told);
    if (!sigismember(&told, SIGSEGV)) fail("SIGSEGV is not told to be blocked");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigprocmask(SIG_BLOCK, NULL, &told);
    if (sigismember(&told, SIGSEGV)) fail("SIGSEGV is told to be blocked");
    note(6);
}

static struct block* alarmed;
static void reads_memory(int signal_number) {
    (void)signal_number;
    check(alarmed, "in a handler");
}

static void handle_alarm(struct block* b) {
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = reads_memory;
    sigfillset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    alarmed = b;
    raise(SIGALRM);
    note(7);
}

/* ---- input and output */

static void through_a_file(struct block* b) {
    const int file = memfd_create("torture", MFD_CLOEXEC);
    if (file < 0) fail("memfd");
    for (size_t done = 0; done < b->bytes;) {
        const ssize_t count = write(file, b->start + done, b->bytes - done);
        if (count <= 0) fail("write");
        done += (size_t)count;
    }
    memset(b->start, 0, b->bytes);
    const size_t half = b->bytes / 2;
    if (pread(file, b->start, half, 0) != (ssize_t)half) fail("pread");
    struct iovec list[2] = {{b->start + half, 1000}, {b->start + half + 1000, b->bytes - half - 1000}};
    lseek(file, (off_t)half, SEEK_SET);
    if (readv(file, list, 2) != (ssize_t)(b->bytes - half)) fail("readv");
    FILE* stream = fdopen(file, "r+");
    memset(b->start, 0, b->bytes);
    rewind(stream);
    if (fread(b->start, 1, b->bytes, stream) != b->bytes) fail("fread");
    rewind(stream);
    if (fwrite(b->start, 1, b->bytes, stream) != b->bytes) fail("fwrite");
    fclose(stream);
    check(b, "after input and output");
}

static void* writes_to_pipe(void* argument) {
    const int* ends = argument;
    unsigned char text[4096];
    for (int i = 0; i < 512; ++i) {
        memset(text, i & 0xff, sizeof(text));
        if (write(ends[1], text, sizeof(text)) != sizeof(text)) fail("write to pipe");
    }
    close(ends[1]);
    return NULL;
}

static void through_a_pipe(struct block* b) {
    int ends[2];
    pthread_t writer;
    if (pipe(ends) != 0 || pthread_create(&writer, NULL, writes_to_pipe, ends) != 0) fail("pipe");
    size_t got = 0;
    for (ssize_t count = 1; count > 0; got += (size_t)count) {
        count = read(ends[0], b->start + got, b->bytes - got);
        if (count < 0) fail("read from pipe");
    }
    pthread_join(writer, NULL);
    close(ends[0]);
    if (got != 512 * 4096) fail("pipe lost something");
    for (size_t at = 0; at < got; at += 512)
        if (b->start[at] != (unsigned char)(at / 4096)) fail("pipe mixed something up");
    fill(b, 0);
    note(got);
}

/* ---- threads and processes */

static void* checks_all(void* argument) {
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < blocks; ++k)
            if (all[k].kind != none)
                for (size_t at = 0; at < all[k].bytes; at += 256)
                    if (all[k].start[at] != expected(&all[k], at)) fail("in a thread");
    return argument;
}

static void use_threads(void) {
    pthread_t ids[threads];
    for (int i = 0; i < threads; ++i)
        if (pthread_create(&ids[i], NULL, checks_all, NULL) != 0) fail("pthread_create");
    for (int i = 0; i < 20; ++i) {
        struct block other;
        memset(&other, 0, sizeof(other));
        make(&other);
        check(&other, "beside threads");
        drop(&other);
    }
    for (int i = 0; i < threads; ++i)
        pthread_join(ids[i], NULL);
    note(8);
}

static void use_fork(struct block* b) {
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        check(b, "in the child");
        b->salt = (unsigned char)(b->salt + 1);
        fill(b, 0);
        check(b, "in the child's own copy");
        if (b->kind == mapped) drop(b);
        _exit(17);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 17 << 8) fail("the child of fork");
    check(b, "after a fork");
}

static void use_fork_and_exec(struct block* b, char* program) {
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        /* the argument lies in large memory */
        char* code = (char*)b->start + b->bytes / 2;
        snprintf(code, 8, "31");
        execl(program, program, "exit", code, (char*)NULL);
        _exit(99);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 31 << 8) fail("the child of fork and exec");
    check(b, "after a fork and an exec");
}

static __attribute__((noinline)) void use_vfork(char* program) {
    const pid_t child = vfork();
    if (child == 0) {
        execl(program, program, "exit", "23", (char*)NULL);
        _exit(99);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 23 << 8) fail("the child of vfork");
    note(9);
}

static void use_system(struct block* b, const char* program) {
    /* the command itself lies in large memory */
    snprintf((char*)b->start + mib, 200, "exec %s exit 29", program);
    if (system((char*)b->start + mib) != 29 << 8) fail("system");
    fill(b, 0);
    note(10);
}

static void step(char* program) {
    struct block* b = &all[pick(blocks)];
    if (b->kind == none) return make(b);
    switch (pick(16)) {
        case 0:
            check(b, "before it is dropped");
            return drop(b);
        case 1:
            return resize(b);
        case 2:
            return fault_and_jump(b);
        case 3:
            fault_and_repair(b);
            return fill(b, 0);
        case 4:
            return fault_at_nothing();
        case 5:
            return mask_signals(b);
        case 6:
            return handle_alarm(b);
        case 7:
            return through_a_file(b);
        case 8:
            return through_a_pipe(b);
        case 9:
            return use_threads();
        case 10:
            return use_fork(b);
        case 11:
            return use_vfork(program);
        case 12:
            return use_system(b, program);
        case 13:
            return give_back(b);
        case 14:
            return use_fork_and_exec(b, program);
        default:
            return check(b, "at rest");
    }
}

/* Each seed has its own way to end. */
static int end(void) {
    switch (pick(6)) {
        case 0:
            *(volatile int*)nothing = 1;
            break;
        case 1: {
            unsigned char* wall = mmap(NULL, 8 * mib, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            wall[mib] = 1;
            break;
        }
        case 2:
            raise(SIGSEGV);
            break;
        case 3: {
            sigset_t segv;
            sigemptyset(&segv);
            sigaddset(&segv, SIGSEGV);
            sigprocmask(SIG_BLOCK, &segv, NULL);
            raise(SIGSEGV); /* waits */
            printf("pending\n");
            fflush(stdout);
            sigprocmask(SIG_UNBLOCK, &segv, NULL);
            break;
        }
        default:
            break;
    }
    return (int)(checksum % 100);
}

int main(int count, char** arguments) {
    if (count == 3 && strcmp(arguments[1], "exit") == 0) return atoi(arguments[2]);
    if (count < 2) return 2;
    state = strtoull(arguments[1], NULL, 10);
    const int steps = count > 2 ? atoi(arguments[2]) : 40;
    alternate = malloc(65536);
    const stack_t stack = {.ss_sp = alternate, .ss_flags = 0, .ss_size = 65536};
    if (alternate == NULL || sigaltstack(&stack, NULL) != 0) fail("sigaltstack");
    for (int i = 0; i < steps; ++i)
        step(arguments[0]);
    for (int k = 0; k < blocks; ++k)
        if (all[k].kind != none) check(&all[k], "at the end");
    printf("checksum %016llx\n", (unsigned long long)checksum);
    fflush(stdout);
    return end();
}
