// Six ways to overwrite a tile in silence, one by CASE; RIGHT is the same without the mistake.
#include <pto/pto-inst.hpp>
#ifdef __DAV_CUBE__
constexpr bool CUBE = true;
#else
constexpr bool CUBE = false;
#endif
#ifdef RIGHT
constexpr bool WRONG = false;
#else
constexpr bool WRONG = true;
#endif
constexpr int64_t TILE = 1024;

// What sets the bytes that a push takes.
void fill(Buf to, float* in)
{
    TLOAD(to, gm(in, to.bytes));
    const int next = CUBE ? PIPE_FIX : PIPE_MTE3;
    set_flag(PIPE_MTE2, next, 0);
    wait_flag(PIPE_MTE2, next, 0);
}

void use(Buf from, int64_t scratch)
{
    set_flag(PIPE_MTE2, PIPE_V, 0);
    wait_flag(PIPE_MTE2, PIPE_V, 0);
    TADD(ub(scratch, from.bytes), from);
}

void clobber(float* in, float* ring, float* other)
{
#if CASE == 1 // sub-tiles of one slot, their offsets too near
    Pipe pipe(ring, TILE, 2);
    if constexpr (CUBE) {
        fill(l0c(0, TILE), in);
        TPUSH(pipe, l0c(0, 512), 1, 0);
        --pipe.index;
        TPUSH(pipe, l0c(512, 512), 2, WRONG ? 256 : 512);
    } else {
        TPOP(pipe, ub(0, WRONG ? 768 : TILE));
    }
#elif CASE == 2 // a store into a slot that holds a tile
    Pipe pipe(ring, TILE, 2);
    if constexpr (CUBE) {
        fill(l0c(0, TILE), in);
        TPUSH(pipe, l0c(0, TILE));
        TSTORE(gm(WRONG ? ring : other, TILE), l0c(0, TILE));
    } else {
        TPOP(pipe, ub(0, TILE));
    }
#elif CASE == 3 // a work tile over a popped one
    Pipe pipe(ring, TILE, 2);
    if constexpr (CUBE) {
        fill(l0c(0, TILE), in);
        TPUSH(pipe, l0c(0, TILE));
    } else {
        TPOP(pipe, ub(0, TILE));
        TLOAD(ub(WRONG ? 512 : 4096, TILE), gm(in, TILE));
        use(ub(0, TILE), 8192);
    }
#elif CASE == 4 // two pipes that land on the same bytes
    Pipe one(ring, TILE, 2), two(other, TILE, 2, 2);
    if constexpr (CUBE) {
        fill(l0c(0, TILE), in);
        TPUSH(one, l0c(0, TILE));
        TPUSH(two, l0c(0, TILE));
    } else {
        TPOP(one, ub(0, TILE));
        TPOP(two, ub(WRONG ? 0 : 4096, TILE));
        use(ub(0, TILE), 8192);
    }
#elif CASE == 6 // a tile loaded over one that nothing has read yet, in the order of their pipe
    if constexpr (!CUBE) {
        TLOAD(ub(0, TILE), gm(in, TILE));
        TLOAD(ub(WRONG ? 256 : TILE, TILE), gm(in, TILE));
        use(ub(0, TILE), 8192);
        pipe_barrier(PIPE_V);
        use(ub(WRONG ? 256 : TILE, TILE), 8192 + TILE);
    }
#else // a TMPipe through GM: both Vector cores push their half to the same place
    const int64_t pipe = tilelab::ask(TL_OPEN, 1, 4, 0, 4, 1, 2, 2, tilelab::word(ring), 0xA000, 0, 0, 8, 32, 4, 2, 1,
                                      16, 32, 4, 2);
    if constexpr (CUBE) {
        tilelab::ask(TL_POP, pipe, 0, 3, 0, 0, -1, 1, 4, 2, 16, 32, 16, 32, 0);
        op("TLOAD", Buf{TL_L1, tl_place(-1, TL_L1), 2 * TILE}, gm(ring, 2 * TILE));
        tilelab::ask(TL_MOVED);
    } else {
        fill(ub(0, TILE), in + tl_lane() * 256);
        const int64_t offset = WRONG ? 0 : tl_lane() * TILE;
        tilelab::ask(TL_PUSH, pipe, 0, 3, offset, 0, -1, 0, 4, 2, 8, 32, 8, 32, 0);
        TSTORE(gm(reinterpret_cast<char*>(ring) + offset, TILE), ub(0, TILE));
        tilelab::ask(TL_MOVED);
    }
    tilelab::ask(TL_CLOSE, pipe, 1);
#endif
}

int main(int, char**)
{
    float* in = tilelab::device(2 * TILE, true);
    float* ring = tilelab::device(8 * TILE, false);
    float* other = tilelab::device(8 * TILE, false);
    clobber<<<1, nullptr, nullptr>>>(in, ring, other);
    return 0;
}
