/* The outside of the drop-in libttsim.so: the functions that the host calls, around the chip's own
 * kernels, which are compiled into the same library. The host calls from several native threads,
 * some of which hold locks of its own Python, so nothing here runs Python while the chip is well.
 *
 * What goes wrong is told by another process: it is given a copy of the chip's memory, says what
 * happened on stderr, and ends; from then on the device reads as ones. explain.py is its side.
 *
 * shim.ll is made of this by tools/host_code.py. Constants and arrays that are only declared here
 * are a chip's: shim.py defines them.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef long i64;
typedef unsigned char byte;

#pragma GCC visibility push(hidden)
/* The chip's kernels. */
i64 power_up(void *c), pass_clock(void *c), go_past(void *c), wanted(void *c), settle(void *c);
i64 start_run(void *c, i64 clocks), run_tile(void *c, i64 tile);
i64 pci_read(void *c, i64 address, i64 count), pci_write(void *c, i64 address, i64 count);
i64 host_read(void *c, i64 place, i64 address, i64 count);
i64 write_place(void *c, i64 place, i64 address, i64 count);
/* Sizes in bytes, and how far apart things are. */
extern const i64 IMAGE, CHIP, RECORD, L1_AT, CODE_SIZE, OPERATIONS_AT, CODE_STRIDE, CODES, STRIDE,
    DRAM, ETHERNET, STAGE;
/* Where fields of the chip's record are. */
extern const i64 TURN_AT, STATES_AT, IN_STEP_AT, AWAKE_AT, DUE_AT, ADDRESS_OF_AT, STAGE_AT,
    HOST_ADDRESS_AT, HOST_COUNT_AT, HOST_DONE_AT, PROBLEM_AT;
/* What numbers mean, and what is enough. */
extern const i64 END, RUN, PROBLEM, WANT_RUN, WANT_HOST_READ, WANT_HOST_WRITE, NO_HOST, EARLY,
    RUN_KIND, READ_KIND, WRITE_KIND, REPORT_KIND, STUCK_KIND, AHEAD, PATIENCE, MOST_HELPERS, LOOKS;
extern const i64 touches[], TOUCHES;
extern const uint32_t config[][2];
extern const i64 CONFIG;
extern const char THREADS[], REPORT[], PROGRAM[];
extern byte chip[], image[];
extern char python[], chip_text[]; /* filled in where the library is laid out */
extern pthread_t helper[];
#pragma GCC visibility pop

#define SAY(text) (void)!write(2, text, sizeof text - 1)
#define GONE "tilelab: the simulated chip has stopped; from now on it reads as ones\n"
#define PART(type, at) (*(type *)(c() + (at)))
#define PCI (-1) /* a place: addresses are the host's */

static bool on, dead;
static bool begun;   /* between libttsim_init and libttsim_exit */
static bool touched; /* the host has read or written since its last clock */
static int idle;     /* clocks in a row in which nothing could change */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*read_host)(i64, void *, int), (*write_host)(i64, void *, int);
static byte *tile_memory, *dram_memory, *ethernet_memory;
static byte *code_memory; /* what words of code decode to, for every thread that runs tiles */

static byte *c(void) { return chip + 64; }
static i64 states(void) { return PART(uint32_t, STATES_AT); }

/* The record of a tile; its L1 and what else it has lie at fixed distances. */
static byte *tile(i64 i) { return tile_memory + i * STRIDE + 64; }

/* Have a tile remember in the memory of one thread what its words of code decode to. Each entry is
 * good for the word beside it alone, so all tiles that the thread runs share them: they run the
 * same. */
static void lend(i64 thread, i64 i) {
    byte **slots = (byte **)tile(i);
    slots[-2] = code_memory + thread * CODE_STRIDE;
    slots[-3] = slots[-2] + OPERATIONS_AT;
}

/* Tiles run on several of the host's processors. A phase is one call of run_tile for every tile:
 * the calling thread and its helpers each take the next tile that nobody has taken, until all have
 * been run. What a phase leaves does not depend on who ran what: turns.py says why. A helper that
 * finds nothing to do looks again for a while, then sleeps until the next phase. Signals are not
 * for helpers. */
static _Alignas(64) _Atomic i64 next;      /* the first tile that nobody has taken */
static _Alignas(64) _Atomic i64 finished;  /* how many tiles have been run in this phase */
static _Alignas(64) _Atomic int phase;     /* its number: what helpers sleep on */
static _Alignas(64) _Atomic int asleep;    /* how many do */
static _Atomic bool ending;
static int helpers = -1; /* how many there are; -1: it has not been decided */

/* Take a tile and run it, as the thread of this number: false if all are taken. */
static bool take(i64 thread) {
    if (next >= states()) return false;
    i64 i = next++;
    if (i >= states()) return false;
    lend(thread, i);
    run_tile(c(), i);
    finished++;
    return true;
}

static void *help(void *number) {
    sigset_t signals;
    sigfillset(&signals);
    pthread_sigmask(SIG_SETMASK, &signals, 0);
    for (i64 looks = 0;;) {
        int seen = phase;
        if (take((i64)number)) {
            looks = 0;
            continue;
        }
        if (ending) return 0;
        __builtin_ia32_pause();
        if (++looks > LOOKS) {
            asleep++;
            syscall(SYS_futex, &phase, FUTEX_WAIT_PRIVATE, (i64)seen, 0L);
            asleep--;
        }
    }
}

/* Wake all helpers that sleep. */
static void rouse(void) {
    phase++;
    if (asleep) syscall(SYS_futex, &phase, FUTEX_WAKE_PRIVATE, (i64)INT32_MAX, 0L);
}

/* Have as many helpers as there are processors for them, and tiles, or as the environment says. */
static void hire(void) {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    const char *named = getenv(THREADS);
    if (!named) sched_getaffinity(0, sizeof processors, &processors);
    i64 threads = named ? strtol(named, 0, 10) : CPU_COUNT(&processors);
    i64 wanted = (threads < states() ? threads : states()) - 1;
    if (wanted > MOST_HELPERS) wanted = MOST_HELPERS;
    helpers = 0;
    next = INT64_MAX; /* helpers look before the first phase begins: there is nothing to take */
    while (helpers < wanted) { /* the calling thread is number 0 */
        if (pthread_create(helper + helpers, 0, help, (void *)(i64)(helpers + 1))) return;
        helpers++;
    }
}

/* Send all helpers away. */
static void dismiss(void) {
    if (helpers > 0) {
        ending = true;
        rouse();
        for (int k = 0; k < helpers; k++) pthread_join(helper[k], 0);
        ending = false;
    }
    helpers = -1;
}

/* One phase: every tile is run that can. */
static void run_tiles(void) {
    bool several = PART(uint32_t, AWAKE_AT) > 1;
    if (several && helpers < 0) hire();
    if (!several || helpers <= 0) {
        for (i64 i = 0; i < states(); i++) {
            lend(0, i);
            run_tile(c(), i);
        }
        return;
    }
    finished = 0;
    next = 0;
    rouse();
    while (take(0)) {
    }
    for (i64 looks = 0; finished != states();) {
        __builtin_ia32_pause();
        if (++looks > LOOKS) sched_yield();
    }
}

/* Memory that exists as soon as it is touched; null if there is no room for its addresses. */
static void *reserve(i64 bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *found = mmap(0, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    return found == MAP_FAILED ? 0 : found;
}

/* Memory of all tiles, and a page behind it. */
static i64 tile_bytes(void) { return states() * STRIDE + 4096; }

/* Whether the host may not do this: it is said, unless the chip has stopped already; it has now. */
static bool refused(bool wrong, const char *text, i64 size) {
    if (wrong && !dead) {
        dead = true;
        (void)!write(2, text, size);
        SAY(GONE);
    }
    return wrong;
}
#define REFUSED(wrong, text) refused(wrong, "tilelab: the host " text "\n", sizeof text + 18)
#define OUTSIDE "uses the chip before libttsim_init, or after libttsim_exit"

/* Where a tile finds itself and its memories; pages that would be read before they are written. */
static void lay_out(i64 i) {
    byte *record = tile(i), **slots = (byte **)record;
    slots[-1] = record + L1_AT;
    lend(0, i);
    slots[-4] = record;
    (&PART(byte *, ADDRESS_OF_AT))[i] = record;
    for (i64 k = 0; k < TOUCHES; k++) *(volatile byte *)(record - 64 + touches[k]) = 0;
}

/* A fresh chip, if there is none: whether it can be used. */
static bool ready(void) {
    if (REFUSED(!begun, OUTSIDE) || dead) return false;
    if (on) return true;
    memcpy(chip, image, IMAGE);
    tile_memory = reserve(tile_bytes());
    dram_memory = reserve(DRAM);
    ethernet_memory = reserve(ETHERNET);
    code_memory = reserve(CODES);
    if (!(tile_memory && dram_memory && ethernet_memory && code_memory)) {
        dead = true;
        SAY(GONE);
        return false;
    }
    *(byte **)(c() - 8) = dram_memory;
    *(byte **)(c() - 16) = ethernet_memory;
    for (i64 i = 0; i < states(); i++) lay_out(i);
    power_up(c());
    on = true;
    return true;
}

static void write_all(int fd, const void *data, i64 count) {
    for (const byte *at = data; count > 0;) {
        i64 n = write(fd, at, count);
        if (n <= 0) return;
        at += n;
        count -= n;
    }
}

/* Have another process say what happened, from a copy of everything that it needs. */
static void tell(i64 kind, i64 code, i64 address, i64 size) {
    i64 head[] = {kind, code, address, size};
    char *arguments[] = {python, "-E", "-m", (char *)PROGRAM, chip_text, 0};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int fd = memfd_create("tilelab-chip", MFD_CLOEXEC);
    write_all(fd, head, sizeof head);
    write_all(fd, c(), CHIP);
    for (i64 i = 0; i < states(); i++) {
        write_all(fd, tile(i), RECORD);
        if (kind == STUCK_KIND) write_all(fd, tile(i) + L1_AT, CODE_SIZE);
    }
    i64 turn = PART(uint32_t, TURN_AT);
    write_all(fd, tile(turn < states() ? turn : 0) + L1_AT, CODE_SIZE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, 3);
    if (!posix_spawn(&pid, python, &actions, 0, arguments, environ)) waitpid(pid, 0, 0);
    posix_spawn_file_actions_destroy(&actions);
    close(fd);
}

static void fail(i64 kind, i64 code, i64 address, i64 size) {
    dead = true;
    tell(kind, code, address, size);
    SAY(GONE);
}

/* Move host memory to or from the stage, as the chip wishes: false if there is no host memory. */
static bool move(i64 code) {
    void (*mover)(i64, void *, int) = code == WANT_HOST_READ ? read_host : write_host;
    if (!mover) {
        PART(int, PROBLEM_AT) = NO_HOST;
        return false;
    }
    mover(PART(i64, HOST_ADDRESS_AT), &PART(byte, STAGE_AT), PART(int, HOST_COUNT_AT));
    PART(byte, HOST_DONE_AT) = 1;
    return true;
}

static bool wants_host(i64 code) { return code == WANT_HOST_READ || code == WANT_HOST_WRITE; }

/* Go on after this code: false if the chip has stopped. */
static bool cope(i64 code) {
    if (wants_host(code)) {
        if (move(code)) return true;
        code = PROBLEM;
    }
    if (code == PROBLEM && PART(int, PROBLEM_AT) == EARLY) {
        tell(RUN_KIND, code, 0, 0);
        go_past(c());
        return true;
    }
    fail(RUN_KIND, code, 0, 0);
    return false;
}

/* Let the chip run until nothing on it can change, or for as long as one clock lasts. */
static void run(void) {
    PART(byte, DUE_AT) = 0;
    start_run(c(), AHEAD);
    for (;;) {
        i64 what = wanted(c());
        if (what == END) return;
        if (what == RUN) run_tiles();
        i64 code = settle(c());
        if (code && !cope(code)) return;
    }
}

/* In step with its host, let so many clocks pass. */
static void pass(unsigned count) {
    for (; count && !dead; count--) {
        i64 code;
        while ((code = pass_clock(c())) && cope(code)) {
        }
    }
}

/* End the chip, if there is one. */
static void stop(void) {
    if (on) {
        if (!dead && PART(byte, DUE_AT)) run();
        if (!dead && getenv(REPORT)) tell(REPORT_KIND, 0, 0, 0);
        dismiss();
        munmap(tile_memory, tile_bytes());
        munmap(dram_memory, DRAM);
        munmap(ethernet_memory, ETHERNET);
        munmap(code_memory, CODES);
    }
    on = dead = false;
}

/* Count the clocks in a row in which nothing can change; when they are many, have it said who
 * waits. */
static void count_idle(void) {
    idle = PART(uint32_t, AWAKE_AT) ? 0 : idle + 1;
    if (idle == PATIENCE) tell(STUCK_KIND, 0, 0, 0);
}

/* Read or write one part of an access. */
static bool reach(bool writes, i64 place, i64 address, i64 count) {
    for (;;) {
        i64 code;
        if (place == PCI)
            code = writes ? pci_write(c(), address, count) : pci_read(c(), address, count);
        else if (writes)
            code = write_place(c(), place, address, count);
        else
            code = host_read(c(), place, address, count);
        if (!code) return true;
        if (code == WANT_RUN) {
            run();
            if (dead) return false;
        } else if (!wants_host(code) || !move(code)) {
            fail(writes ? WRITE_KIND : READ_KIND, place, address, count);
            return false;
        }
    }
}

/* A whole read or write of the host, in parts that fit the stage. */
static void transfer(bool writes, i64 place, i64 address, byte *data, unsigned size) {
    byte *stage = &PART(byte, STAGE_AT);
    pthread_mutex_lock(&lock);
    touched = true;
    REFUSED(!size, "reads or writes 0 bytes");
    for (i64 left = size, count; left; left -= count, data += count, address += count) {
        count = left < STAGE ? left : STAGE;
        bool well = ready();
        if (well && writes) memcpy(stage, data, count);
        if (!well || !reach(writes, place, address, count)) {
            if (!writes) memset(data, 255, left);
            break;
        }
        if (!writes) memcpy(data, stage, count);
    }
    pthread_mutex_unlock(&lock);
}

void libttsim_init(void) {
    pthread_mutex_lock(&lock);
    if (!REFUSED(begun, "calls libttsim_init again, without libttsim_exit between them")) {
        dead = false;
        begun = true;
    }
    pthread_mutex_unlock(&lock);
}

void libttsim_exit(void) {
    pthread_mutex_lock(&lock);
    if (!REFUSED(!begun, OUTSIDE)) {
        stop();
        begun = false;
    }
    pthread_mutex_unlock(&lock);
}

/* The chip runs when the host reads what that may change, or lets time pass twice in a row: so all
 * tiles that it starts one by one run side by side. */
void libttsim_clock(unsigned count) {
    pthread_mutex_lock(&lock);
    if (ready()) {
        if (PART(byte, IN_STEP_AT)) {
            pass(count);
        } else {
            count_idle();
            bool now = PART(byte, DUE_AT) && !touched;
            touched = false;
            if (now)
                run();
            else
                PART(byte, DUE_AT) = 1;
        }
    }
    pthread_mutex_unlock(&lock);
}

static i64 place(unsigned x, unsigned y) { return (x & 63) | (y & 63) << 6; }

void libttsim_pci_mem_rd_bytes(i64 address, void *data, unsigned size) {
    transfer(false, PCI, address, data, size);
}

void libttsim_pci_mem_wr_bytes(i64 address, void *data, unsigned size) {
    transfer(true, PCI, address, data, size);
}

void libttsim_tile_rd_bytes(unsigned x, unsigned y, i64 address, void *data, unsigned size) {
    transfer(false, place(x, y), address, data, size);
}

void libttsim_tile_wr_bytes(unsigned x, unsigned y, i64 address, void *data, unsigned size) {
    transfer(true, place(x, y), address, data, size);
}

void libttsim_set_pci_dma_mem_callbacks(void (*reader)(i64, void *, int),
                                        void (*writer)(i64, void *, int)) {
    read_host = reader;
    write_host = writer;
}

void libttsim_pci_config_wr32(unsigned bdf, unsigned offset, unsigned value) {}

unsigned libttsim_pci_config_rd32(unsigned bdf, unsigned offset) {
    if (bdf || REFUSED(offset & 3, "reads configuration space at an offset that is no multiple of 4"))
        return -1;
    for (i64 i = 0; i < CONFIG; i++)
        if (config[i][0] == offset) return config[i][1];
    return -1;
}
