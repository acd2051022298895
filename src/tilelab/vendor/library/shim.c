/* The outside of the drop-in libttsim.so: the functions that the host calls, around the chip's own
 * kernels, which are compiled into the same library. The host calls from several native threads,
 * some of which hold locks of its own Python, so nothing here runs Python while the chip is well.
 *
 * What goes wrong is told by another process: it is given a copy of the chip's memory, says what
 * happened on stderr, and ends; from then on the device reads as ones. explain.py is its side.
 *
 * Several chips are several records, each with memories of its own; one is the one at hand. What
 * leaves over a link is handed on at once in step, and between two slices ahead (several.py).
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
extern const i64 IMAGE, CHIP, RECORD, USED, L1_AT, CODE_SIZE, OPERATIONS_AT, CODE_STRIDE, CODES, STRIDE,
    DRAM, ETHERNET, STAGE, SLICE, QUIET, APART, PATCHES, RISCV_AT, RISCV_SIZE, FRONTEND_AT,
    FRONTEND_SIZE;
/* Where fields of the chip's record are. */
extern const i64 TURN_AT, STATES_AT, IN_STEP_AT, AWAKE_AT, DUE_AT, ADDRESS_OF_AT, STAGE_AT,
    HOST_ADDRESS_AT, HOST_COUNT_AT, HOST_DONE_AT, PROBLEM_AT, OTHERS_AT, LINK_AT, PEER_AT, TIME_AT, TILES_AT,
    IS_AWAKE_AT, REQUESTS_AT;
/* What numbers mean, and what is enough. */
extern const i64 END, RUN, PROBLEM, WANT_RUN, WANT_HOST_READ, WANT_HOST_WRITE, WANT_LINK, NO_HOST,
    EARLY, MOST_CHIPS, PEER_SHIFT,
    RUN_KIND, READ_KIND, WRITE_KIND, REPORT_KIND, STUCK_KIND, AHEAD, PATIENCE, MOST_HELPERS, LOOKS;
extern const uint32_t config[][2];
extern const i64 CONFIG;
extern const char THREADS[], REPORT[], PROGRAM[];
extern byte image[];
extern i64 chips[];             /* how many there are; filled in where the library is laid out, */
extern uint32_t patch[][3];     /* with words of a chip's image that are its own: chip, at, value */
extern struct chip { byte *record, *tiles, *dram, *ethernet; } every[];
extern char python[], chip_text[]; /* filled in where the library is laid out */
extern pthread_t helper[];
#pragma GCC visibility pop

#define SAY(text) (void)!write(2, text, sizeof text - 1)
#define GONE "tilelab: the simulated chip has stopped; from now on it reads as ones\n"
#define PART(type, at) (*(type *)(c() + (at)))
#define NOTHING_LEFT (1L << 60)
#define PCI (-1) /* a place: addresses are the host's */

static bool on, dead;
static bool begun;   /* between libttsim_init and libttsim_exit */
static bool touched; /* the host has read or written since its last clock */
static int idle;     /* clocks in a row in which nothing could change */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*read_host)(i64, void *, int), (*write_host)(i64, void *, int);
static struct chip *at_hand; /* the chip that everything here is about */
static byte *code_memory; /* what words of code decode to, for every thread that runs tiles */

static byte *c(void) { return at_hand->record; }
static i64 states(void) { return PART(uint32_t, STATES_AT); }
static i64 own_number(void) { return at_hand - every; }
static void take_up(i64 number) { at_hand = every + number; }
#define EACH_CHIP for (take_up(0); own_number() < chips[0]; at_hand++)

/* The record of a tile; its L1 and what else it has lie at fixed distances. */
static byte *tile_of(struct chip *chip, i64 i) { return chip->tiles + i * STRIDE + 64; }
static byte *tile(i64 i) { return tile_of(at_hand, i); }

/* Have a tile remember in the memory of one thread what its words of code decode to. Each entry is
 * good for the word beside it alone, so all tiles that the thread runs share them: they run the
 * same. */
static void lend(i64 thread, byte *record) {
    byte **slots = (byte **)record;
    slots[-2] = code_memory + thread * CODE_STRIDE;
    slots[-3] = slots[-2] + OPERATIONS_AT;
}

/* Tiles run on several of the host's processors. A phase is one call of run_tile for every tile of
 * the chips that are to run:
 * the calling thread and its helpers each take the next tile that nobody has taken, until all have
 * been run. What a phase leaves does not depend on who ran what: turns.py says why. A helper that
 * finds nothing to do looks again for a while, then sleeps until the next phase. Signals are not
 * for helpers. */
static _Alignas(64) _Atomic i64 next;      /* the first tile that nobody has taken */
static _Alignas(64) _Atomic i64 finished;  /* how many tiles have been run in this phase */
static _Alignas(64) _Atomic int phase;     /* its number: what helpers sleep on */
static _Alignas(64) _Atomic int asleep;    /* how many do */
static _Atomic bool ending;
static struct chip *runs[64]; /* the chips of this phase, how many, and tiles to be taken */
static i64 chips_run, tiles_run;
static bool whole;        /* chips are taken, not tiles; */
static i64 left_with[64]; /* each one ended with this */
static i64 most_states;  /* of any chip: tiles are numbered as if each had so many */
static int helpers = -1; /* how many there are; -1: it has not been decided */

/* What chips that run ahead have sent since they met last, of each one transfer behind the other,
 * with a head: its peer, the address there, how many bytes; they are padded to eight. */
static struct outbox {
    i64 *data, words, room;
} outbox[64];

/* Keep what a chip sends, for its peer: false if there is no memory for it. */
static bool keep(struct chip *chip) {
    struct outbox *box = outbox + (chip - every);
    byte *record = chip->record;
    i64 count = *(uint32_t *)(record + HOST_COUNT_AT), words = 3 + (count + 7) / 8;
    if (box->words + words > box->room) {
        i64 room = 2 * (box->words + words);
        i64 *more = realloc(box->data, room * 8);
        if (!more) return false;
        box->data = more;
        box->room = room;
    }
    i64 *head = box->data + box->words;
    head[0] = ((uint32_t *)(record + PEER_AT))[*(uint32_t *)(record + LINK_AT)];
    head[1] = *(i64 *)(record + HOST_ADDRESS_AT);
    head[2] = count;
    memcpy(head + 3, record + STAGE_AT, count);
    box->words += words;
    record[HOST_DONE_AT] = 1;
    return true;
}

/* Run all of a chip, as the thread of this number, to where its run ends: 0, or the code that the
 * calling thread has to cope with. */
static i64 run_whole(i64 thread, struct chip *chip) {
    byte *record = chip->record;
    i64 count = *(uint32_t *)(record + STATES_AT);
    for (i64 what; (what = wanted(record)) != END;) {
        i64 code;
        for (i64 i = 0; what == RUN && i < count; i++) {
            lend(thread, tile_of(chip, i));
            run_tile(record, i);
        }
        while ((code = settle(record)))
            if (code != WANT_LINK || !keep(chip)) return code;
    }
    return 0;
}

/* Take a tile and run it, or a chip, as the thread of this number: false if all are taken. */
static bool take(i64 thread) {
    if (next >= tiles_run) return false;
    i64 i = next++;
    if (i >= tiles_run) return false;
    if (whole) {
        left_with[i] = run_whole(thread, runs[i]);
    } else {
        struct chip *chip = runs[i / most_states];
        i %= most_states;
        if (i < *(uint32_t *)(chip->record + STATES_AT)) {
            lend(thread, tile_of(chip, i));
            run_tile(chip->record, i);
        }
    }
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
    i64 tiles = chips[0] * most_states;
    i64 wanted = (threads < tiles ? threads : tiles) - 1;
    if (wanted > MOST_HELPERS) wanted = MOST_HELPERS;
    helpers = 0;
    next = NOTHING_LEFT; /* helpers look before the first phase begins: there is nothing to take */
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

static i64 awake_on(i64 k) { return *(uint32_t *)(runs[k]->record + AWAKE_AT); }

/* Run what there is to be taken, by all threads. */
static void take_all(i64 count) {
    finished = 0;
    next = NOTHING_LEFT;
    tiles_run = count;
    next = 0;
    rouse();
    while (take(0)) {
    }
    for (i64 looks = 0; finished != count;) {
        __builtin_ia32_pause();
        if (++looks > LOOKS) sched_yield();
    }
}

/* Whether enough of these chips have enough to do for each thread to have one of its own: threads
 * that run chips meet once in a slice, threads that run tiles at every request. */
static bool apart(void) {
    i64 most = 0, busy = 0;
    for (i64 k = 0; k < chips_run; k++)
        if (awake_on(k) > most) most = awake_on(k);
    for (i64 k = 0; k < chips_run; k++) busy += 2 * awake_on(k) >= most;
    if (busy > 1 && helpers < 0) hire();
    return busy > 1 && helpers > 0 && busy > helpers;
}

/* One phase: every tile of these chips is run that can. */
static void run_tiles(void) {
    i64 awake = 0;
    for (i64 k = 0; k < chips_run; k++) awake += awake_on(k);
    if (awake > 1 && helpers < 0) hire();
    if (awake <= 1 || helpers <= 0) {
        for (i64 k = 0; k < chips_run; k++) {
            i64 count = *(uint32_t *)(runs[k]->record + STATES_AT);
            for (i64 i = 0; i < count; i++) {
                lend(0, tile_of(runs[k], i));
                run_tile(runs[k]->record, i);
            }
        }
        return;
    }
    whole = false;
    take_all(chips_run * most_states);
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

/* Where a tile finds itself and its memories. The pages that every tile uses are there at once: one
 * by one they would take the kernel twice as long, and those twice that are read before they are
 * written. */
static void lay_out(i64 i) {
    byte *record = tile(i), **slots = (byte **)record;
    slots[-1] = record + L1_AT;
    lend(0, record);
    slots[-4] = record;
    (&PART(byte *, ADDRESS_OF_AT))[i] = record;
    if (madvise(record - 64, USED, MADV_POPULATE_WRITE)) /* before Linux 5.14 */
        for (i64 at = 0; at < USED; at += 4096) *(volatile byte *)(record - 64 + at) = 0;
}

/* Memory of a chip that powers up: false if there is no room. */
static bool make(i64 number) {
    take_up(number);
    byte *record = reserve(CHIP + 64);
    if (!record) return false;
    at_hand->record = record + 64;
    memcpy(record, image, IMAGE);
    for (i64 k = 0; k < PATCHES && patch[k][1]; k++)
        if (patch[k][0] == number) PART(uint32_t, patch[k][1]) = patch[k][2];
    at_hand->tiles = reserve(tile_bytes());
    at_hand->dram = reserve(DRAM);
    at_hand->ethernet = reserve(ETHERNET);
    if (!(at_hand->tiles && at_hand->dram && at_hand->ethernet)) return false;
    *(byte **)(c() - 8) = at_hand->dram;
    *(byte **)(c() - 16) = at_hand->ethernet;
    for (i64 i = 0; i < states(); i++) lay_out(i);
    power_up(c());
    if (states() > most_states) most_states = states();
    return true;
}

/* Fresh chips, if there are none: whether they can be used. */
static bool ready(void) {
    if (REFUSED(!begun, OUTSIDE) || dead) return false;
    if (on) return true;
    most_states = 0;
    bool well = (code_memory = reserve(CODES));
    for (i64 k = 0; well && k < chips[0]; k++) well = make(k);
    if (!well) {
        dead = true;
        SAY(GONE);
        return false;
    }
    take_up(0);
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

/* Have another process say what happened, from a copy of everything that it needs: a file with this
 * head, to be written on. */
static int begin_copy(i64 kind, i64 code, i64 address, i64 size) {
    i64 head[] = {kind, code, address, size, own_number()};
    int fd = memfd_create("tilelab-chip", MFD_CLOEXEC);
    write_all(fd, head, sizeof head);
    return fd;
}

static void explain(int fd) {
    char *arguments[] = {python, "-E", "-m", (char *)PROGRAM, chip_text, 0};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, 3);
    if (!posix_spawn(&pid, python, &actions, 0, arguments, environ)) waitpid(pid, 0, 0);
    posix_spawn_file_actions_destroy(&actions);
    close(fd);
}

/* Of the chip at hand. */
static void tell(i64 kind, i64 code, i64 address, i64 size) {
    int fd = begin_copy(kind, code, address, size);
    write_all(fd, c(), CHIP);
    for (i64 i = 0; i < states(); i++) {
        write_all(fd, tile(i), RECORD);
        if (kind == STUCK_KIND) write_all(fd, tile(i) + L1_AT, CODE_SIZE);
    }
    i64 turn = PART(uint32_t, TURN_AT);
    write_all(fd, tile(turn < states() ? turn : 0) + L1_AT, CODE_SIZE);
    explain(fd);
}

/* What ran on all chips: of each its time, requests and tiles, and of these the cores and threads. */
static void tell_all(void) {
    int fd = begin_copy(REPORT_KIND, 0, 0, 0);
    EACH_CHIP {
        i64 facts[] = {PART(i64, TIME_AT), PART(i64, REQUESTS_AT), states()};
        write_all(fd, facts, sizeof facts);
        for (i64 i = 0; i < states(); i++) {
            write_all(fd, tile(i) + RISCV_AT, RISCV_SIZE);
            write_all(fd, tile(i) + FRONTEND_AT, FRONTEND_SIZE);
        }
    }
    explain(fd);
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

/* Put bytes where they go at a peer: false if the chip has stopped. */
static bool arrive(i64 peer, i64 address, const void *data, i64 count) {
    struct chip *before = at_hand;
    take_up(peer >> PEER_SHIFT);
    memmove(&PART(byte, STAGE_AT), data, count);
    i64 place = peer & ((1 << PEER_SHIFT) - 1);
    i64 code = write_place(c(), place, address, count);
    if (code) fail(WRITE_KIND, place, address, count);
    at_hand = before;
    return !code;
}

/* Hand on what the chip at hand sends over a link. */
static bool send(void) {
    if (!PART(byte, IN_STEP_AT)) return keep(at_hand);
    i64 peer = (&PART(uint32_t, PEER_AT))[PART(uint32_t, LINK_AT)];
    i64 address = PART(i64, HOST_ADDRESS_AT), count = PART(uint32_t, HOST_COUNT_AT);
    bool well = arrive(peer, address, &PART(byte, STAGE_AT), count);
    PART(byte, HOST_DONE_AT) = 1;
    return well;
}

/* Between two slices: what was sent arrives, and all chips have the same time. */
static void meet(void) {
    i64 now = 0;
    EACH_CHIP if (PART(i64, TIME_AT) > now) now = PART(i64, TIME_AT);
    EACH_CHIP PART(i64, TIME_AT) = now;
    for (struct outbox *box = outbox; box < outbox + chips[0]; box++) {
        i64 *sent = box->data;
        for (i64 at = 0; at < box->words && !dead; at += 3 + (sent[at + 2] + 7) / 8)
            arrive(sent[at], sent[at + 1], sent + at + 3, sent[at + 2]);
        box->words = 0;
    }
}

/* Go on after this code: false if the chip has stopped. */
static bool cope(i64 code) {
    if (code == WANT_LINK) return send();
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

/* Whether anything can change on any chip without the host. */
static bool any_awake(void) {
    bool found = false;
    struct chip *before = at_hand;
    EACH_CHIP found |= PART(uint32_t, AWAKE_AT) > 0;
    at_hand = before;
    return found;
}

/* How many requests all chips have carried out; negative, if a Tensix tile has anything to do. */
static i64 works(void) {
    i64 found = 0;
    EACH_CHIP {
        i64 tiles = PART(uint32_t, TILES_AT);
        if (memchr(&PART(byte, IS_AWAKE_AT), 1, tiles)) return -1;
        found += PART(i64, REQUESTS_AT);
    }
    return found;
}

/* Run chips, each by one thread: false if one has stopped. */
static bool run_chips(void) {
    whole = true;
    take_all(chips_run);
    for (i64 k = 0; k < chips_run; k++) {
        at_hand = runs[k];
        if (left_with[k] && !cope(left_with[k])) return false;
    }
    return true;
}

/* Run all chips to where each one's run ends, side by side. */
static void run_on(i64 rounds) {
    EACH_CHIP start_run(c(), rounds);
    while (!dead) {
        bool settles[64] = {false}, any = false;
        chips_run = 0;
        EACH_CHIP {
            i64 what = wanted(c());
            settles[own_number()] = what != END;
            any |= what != END;
            if (what == RUN) runs[chips_run++] = at_hand;
        }
        if (!any) return;
        if (chips_run > 1 && apart()) {
            if (!run_chips()) return;
            continue;
        }
        if (chips_run) run_tiles();
        EACH_CHIP {
            i64 code;
            if (!settles[own_number()]) continue;
            while ((code = settle(c())) && cope(code)) {
            }
            if (dead) return;
        }
    }
}

/* Say to all chips whether time has passed for which they have yet to run. */
static void set_due(bool due) {
    struct chip *before = at_hand;
    bool others = due && chips[0] > 1 && any_awake();
    EACH_CHIP {
        PART(byte, DUE_AT) = due;
        PART(byte, OTHERS_AT) = others;
    }
    at_hand = before;
}

/* Let the chips run until nothing on them can change, or for as long as one clock lasts. */
static void run(void) {
    struct chip *before = at_hand;
    set_due(false);
    if (chips[0] == 1) {
        run_on(AHEAD);
    } else {
        i64 still = 0, seen = works();
        for (i64 gone = 0; gone < AHEAD && !dead && any_awake() && still < QUIET; gone += SLICE) {
            run_on(SLICE);
            i64 now = works();
            still = now < 0 || now != seen ? 0 : still + 1;
            seen = now;
            if (!dead) meet();
        }
    }
    at_hand = before;
}

/* In step with its host, let so many clocks pass. */
static void pass(unsigned count) {
    for (; count && !dead; count--) {
        EACH_CHIP {
            i64 code;
            while ((code = pass_clock(c())) && cope(code)) {
            }
            if (dead) return;
        }
    }
}

/* End the chips, if there are any. */
static void stop(void) {
    if (on) {
        take_up(0);
        if (!dead && PART(byte, DUE_AT)) run();
        if (!dead && getenv(REPORT)) tell_all();
        dismiss();
        EACH_CHIP {
            munmap(at_hand->tiles, tile_bytes());
            munmap(at_hand->dram, DRAM);
            munmap(at_hand->ethernet, ETHERNET);
            munmap(at_hand->record - 64, CHIP + 64);
        }
        munmap(code_memory, CODES);
        for (i64 k = 0; k < chips[0]; k++) outbox[k].words = 0;
    }
    on = dead = false;
}

/* Count the clocks in a row in which nothing can change; when they are many, have it said who
 * waits. */
static void count_idle(void) {
    idle = any_awake() ? 0 : idle + 1;
    if (idle == PATIENCE) EACH_CHIP tell(STUCK_KIND, 0, 0, 0);
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

/* Take up the chip that an address of the host is of; the address on a machine of it alone. */
static i64 find(i64 place, i64 address) {
    bool many = chips[0] > 1 && place == PCI; /* where there is one, nothing is divided */
    i64 number = many ? (uint64_t)address / APART : 0;
    if (number >= chips[0]) number = 0;
    take_up(number);
    return address - number * APART;
}

/* A whole read or write of the host, in parts that fit the stage. */
static void transfer(bool writes, i64 place, i64 address, byte *data, unsigned size) {
    pthread_mutex_lock(&lock);
    touched = true;
    REFUSED(!size, "reads or writes 0 bytes");
    for (i64 left = size, count; left; left -= count, data += count, address += count) {
        count = left < STAGE ? left : STAGE;
        bool well = ready();
        byte *stage = 0;
        if (well) {
            if (left == size) address = find(place, address);
            stage = &PART(byte, STAGE_AT);
        }
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
        take_up(0);
        if (PART(byte, IN_STEP_AT)) {
            pass(count);
        } else {
            count_idle();
            take_up(0);
            bool now = PART(byte, DUE_AT) && !touched;
            touched = false;
            if (now)
                run();
            else
                set_due(true);
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
    i64 number = bdf >> 3;
    if (bdf & 7 || number >= chips[0] ||
        REFUSED(offset & 3, "reads configuration space at an offset that is no multiple of 4"))
        return -1;
    for (i64 i = 0; i < CONFIG; i++)
        if (config[i][0] == offset)
            return config[i][1] + (offset == 0x14 || offset == 0x1C || offset == 0x24
                                       ? (unsigned)(number * (APART >> 32)) : 0);
    return -1;
}
