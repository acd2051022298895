/* Between a host and a libttsim.so: writes down every call, as a log (tilelab/traffic/calls.py), and
 * hands it on. The library is opened at the first call. What is read is noted when the answer is
 * there; the rest before the call, as what it causes follows.
 *
 * recorder.ll is made of this by tools/host_code.py.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

typedef long i64;
typedef void mover(i64 address, void *data, unsigned size);

/* Kinds of records, as calls.py numbers them. */
enum { INIT = 1, EXIT, HOST_MEMORY, CONFIG_READ, CONFIG_WRITE, READ, WRITE, CLOCK, DMA_READ, DMA_WRITE };

#pragma GCC visibility push(hidden)
char library[4096] = {1}, calls[4096] = {1}; /* paths, filled in where the recorder is laid out */
#pragma GCC visibility pop

static FILE *file;
static void *handle;
static mover *read_host, *write_host;

#define LOST "tilelab: the recorder does not find what it records\n"
#define REAL(name, result, ...) ((result(*)(__VA_ARGS__))real("libttsim_" #name))

static void *real(const char *name) {
    if (!handle) {
        handle = dlopen(library, RTLD_NOW);
        file = fopen(calls, "ab");
    }
    void *found = handle && file ? dlsym(handle, name) : 0;
    if (!found) {
        (void)!write(2, LOST, sizeof LOST - 1);
        _exit(1);
    }
    return found;
}

/* End the host where its record cannot go on: half of one is none, so the file is emptied. */
static void need(int fine) {
    if (fine) return;
    perror("tilelab: the host's calls cannot be recorded");
    (void)!ftruncate(fileno(file), 0);
    _exit(1);
}

static void note(int kind, unsigned size, i64 address, const void *data, size_t count) {
    struct { int kind; unsigned size; i64 address; } record = {kind, size, address};
    need(fwrite(&record, 1, sizeof record, file) == sizeof record);
    need(fwrite(data, 1, count, file) == count);
}

static void host_read(i64 address, void *data, unsigned size) {
    read_host(address, data, size);
    note(DMA_READ, size, address, data, size);
}

static void host_write(i64 address, void *data, unsigned size) {
    note(DMA_WRITE, size, address, data, size);
    write_host(address, data, size);
}

void libttsim_init(void) {
    void (*next)(void) = REAL(init, void, void);
    note(INIT, 0, 0, 0, 0);
    next();
    need(!fflush(file));
}

void libttsim_exit(void) {
    void (*next)(void) = REAL(exit, void, void);
    note(EXIT, 0, 0, 0, 0);
    next();
    need(!fflush(file));
}

void libttsim_clock(unsigned size) {
    void (*next)(unsigned) = REAL(clock, void, unsigned);
    note(CLOCK, size, 0, 0, 0);
    next(size);
}

void libttsim_pci_mem_rd_bytes(i64 address, void *data, unsigned size) {
    REAL(pci_mem_rd_bytes, void, i64, void *, unsigned)(address, data, size);
    note(READ, size, address, data, size);
}

void libttsim_pci_mem_wr_bytes(i64 address, void *data, unsigned size) {
    mover *next = REAL(pci_mem_wr_bytes, void, i64, void *, unsigned);
    note(WRITE, size, address, data, size);
    next(address, data, size);
}

unsigned libttsim_pci_config_rd32(unsigned size, unsigned offset) {
    unsigned word = REAL(pci_config_rd32, unsigned, unsigned, unsigned)(size, offset);
    note(CONFIG_READ, size, offset, &word, sizeof word);
    return word;
}

void libttsim_pci_config_wr32(unsigned size, unsigned offset, unsigned value) {
    void (*next)(unsigned, unsigned, unsigned) =
        REAL(pci_config_wr32, void, unsigned, unsigned, unsigned);
    note(CONFIG_WRITE, size, offset, &value, sizeof value);
    next(size, offset, value);
}

/* No host calls the next two, and they have no records. */
void libttsim_tile_rd_bytes(unsigned x, unsigned y, i64 address, void *data, unsigned size) {
    REAL(tile_rd_bytes, void, unsigned, unsigned, i64, void *, unsigned)(x, y, address, data, size);
}

void libttsim_tile_wr_bytes(unsigned x, unsigned y, i64 address, void *data, unsigned size) {
    REAL(tile_wr_bytes, void, unsigned, unsigned, i64, void *, unsigned)(x, y, address, data, size);
}

void libttsim_set_pci_dma_mem_callbacks(mover *reader, mover *writer) {
    void (*next)(mover *, mover *) = REAL(set_pci_dma_mem_callbacks, void, mover *, mover *);
    note(HOST_MEMORY, 0, 0, 0, 0);
    read_host = reader;
    write_host = writer;
    next(host_read, host_write);
}
