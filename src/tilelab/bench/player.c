/* Plays a host's accesses to a libttsim.so, with as little between them as can be.
 * player.ll is made of this by tools/host_code.py. */
#include <string.h>

enum { WRITE, READ_ONCE, READ_UNTIL, READ_ASIDE };

/* READ_UNTIL reads until the data come; READ_ASIDE does so at the host's side, where reads let no
 * time pass by themselves. */
typedef struct {
    long kind, address, size;
    void *data;
} event;

static char buffer[65536];

/* The number of the first event whose data do not come, or -1. */
long play(void (*read)(long, void *, int), void (*write)(long, void *, int), void (*clock)(int),
          const event *events, long count, long patience) {
    for (long i = 0; i < count; i++) {
        const event *e = events + i;
        if (e->kind == WRITE) {
            write(e->address, e->data, e->size);
            continue;
        }
        for (long tries = 0;; tries++) {
            read(e->address, buffer, e->size);
            if (e->kind != READ_ASIDE) clock(1);
            if (!memcmp(buffer, e->data, e->size)) break;
            if (e->kind == READ_ONCE || tries >= patience) return i;
            clock(1);
        }
    }
    return -1;
}
