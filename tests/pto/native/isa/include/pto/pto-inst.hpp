// Tiles are addresses; an instruction names what it reads and writes and moves the bytes.
#pragma once
#include <cstdint>
#include <cstring>
#include <cstdlib>
#include <tuple>
#include <typeinfo>
#include "tilelab/native.h"

enum { PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M, PIPE_ALL, PIPE_FIX };
#define INLINE __attribute__((always_inline)) inline
INLINE void set_flag(int a, int b, int e) { tilelab::note(TL_SET_FLAG, a, b, e); }
INLINE void wait_flag(int a, int b, int e) { tilelab::note(TL_WAIT_FLAG, a, b, e); }
INLINE void pipe_barrier(int p) { tilelab::note(TL_BARRIER, p); }
INLINE void get_buf(int p, int b) { tilelab::note(TL_GET_BUF, p, b); }
INLINE void rls_buf(int p, int b) { tilelab::note(TL_RLS_BUF, p, b); }

struct Buf {
    TilelabPlace place;
    char* at;
    int64_t bytes;
};
inline Buf ub(int64_t address, int64_t bytes) { return {TL_UB, tl_place(tl_lane(), TL_UB) + address, bytes}; }
inline Buf l0c(int64_t address, int64_t bytes) { return {TL_L0C, tl_place(-1, TL_L0C) + address, bytes}; }
inline Buf gm(void* at, int64_t bytes) { return {TL_GM, static_cast<char*>(at), bytes}; }

INLINE void op(const char* name, Buf to, Buf from)
{
    const int64_t words[] = {tilelab::word(name), tilelab::word(""), 2, 2, to.place, tilelab::word(to.at), 1, to.bytes,
                             to.bytes, 1, from.place, tilelab::word(from.at), 1, from.bytes, from.bytes};
    tl_note(TL_OP, 15, words);
    std::memmove(to.at, from.at, to.bytes < from.bytes ? to.bytes : from.bytes);
}
#define TLOAD(to, from) op("TLOAD", to, from)
#define TSTORE(to, from) op("TSTORE", to, from)
INLINE void add(const char* function, Buf to, Buf from)
{
    const int64_t words[] = {tilelab::word("TSTORE"), tilelab::word(function), 2, 2, to.place, tilelab::word(to.at), 1,
                             to.bytes, to.bytes, 1, from.place, tilelab::word(from.at), 1, from.bytes, from.bytes};
    tl_note(TL_OP, 15, words);
    for (int64_t i = 0; i < to.bytes / 4; ++i) {
        reinterpret_cast<float*>(to.at)[i] += reinterpret_cast<float*>(from.at)[i];
    }
}
// The function's text is where a store's template arguments stand.
#define TSTORE_ADD(to, from) add("TSTORE [with AtomicType atomicType = pto::AtomicType::AtomicAdd]", to, from)
#define TADD(to, from) op("TADD", to, from)
#define TROWMAX(to, from) op("TROWMAX", to, from)

// A C2V pipe of slots in GM, opened on every core.
struct Pipe {
    int64_t handle, slots, size;
    char* base;
    uint32_t index = 0;
    Pipe(void* at, int64_t slot_size, int64_t slot_num, int flag = 0)
        : slots(slot_num), size(slot_size), base(static_cast<char*>(at))
    {
        handle = tilelab::ask(TL_OPEN, 0, flag, 1, size, slots, 2, 0, tilelab::word(base), 0x8000, 0);
    }
#ifdef LAST_TILE_AT_CLOSE // as a TMPipe of A5, which does not count by itself
    ~Pipe() { tilelab::ask(TL_CLOSE, handle, index - 1); }
#else
    ~Pipe() { tilelab::ask(TL_CLOSE, handle, index); }
#endif
};
// 8 rows of 32 floats; `status` 3: waits and signals.
INLINE void TPUSH(Pipe& pipe, Buf from, int status = 3, int offset = 0)
{
    tilelab::ask(TL_PUSH, pipe.handle, pipe.index, status, offset, 0, -1, 4, 4, 2, 8, 32, 8, 32, 0);
    TSTORE(gm(pipe.base + pipe.index % pipe.slots * pipe.size + offset, from.bytes), from);
    tilelab::ask(TL_MOVED);
    ++pipe.index;
}
INLINE void TPOP(Pipe& pipe, Buf to, int status = 3)
{
    tilelab::ask(TL_POP, pipe.handle, pipe.index, status, 0, 0, -1, 0, 4, 2, 8, 32, 8, 32, 0);
    TLOAD(to, gm(pipe.base + pipe.index % pipe.slots * pipe.size, to.bytes));
    tilelab::ask(TL_MOVED);
    ++pipe.index;
}

#include "launch.hpp"
