// The Cube pushes tiles through a ring; each Vector core pops, works on them and stores them.
#include <pto/pto-inst.hpp>
#ifdef __DAV_CUBE__
constexpr bool CUBE = true;
#else
constexpr bool CUBE = false;
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

void relay(float* in, float* out, float* ring)
{
    constexpr int64_t TILE = 1024;
    Pipe pipe(ring, TILE, SLOTS);
    for (int i = 0; i < 6; ++i) {
        if constexpr (CUBE) {
            TLOAD(l0c(0, TILE), gm(in + i * 256, TILE));
            set_flag(PIPE_MTE2, PIPE_FIX, 0);
            wait_flag(PIPE_MTE2, PIPE_FIX, 0);
            TPUSH(pipe, l0c(0, TILE));
            set_flag(PIPE_FIX, PIPE_MTE2, 1);
            wait_flag(PIPE_FIX, PIPE_MTE2, 1);
        } else {
            TPOP(pipe, ub(0, TILE));
            set_flag(PIPE_MTE2, PIPE_V, 0);
            wait_flag(PIPE_MTE2, PIPE_V, 0);
            TROWMAX(ub(4096, TILE), ub(0, TILE));
            pipe_barrier(PIPE_V);
            TADD(ub(8192, TILE), ub(4096, TILE));
            set_flag(PIPE_V, PIPE_MTE3, 0);
            wait_flag(PIPE_V, PIPE_MTE3, 0);
            TSTORE(gm(out + tl_lane() * 6 * 256 + i * 256, TILE), ub(8192, TILE));
            set_flag(PIPE_MTE3, PIPE_MTE2, 0);
            wait_flag(PIPE_MTE3, PIPE_MTE2, 0);
            pipe_barrier(PIPE_ALL);
        }
    }
}

int main(int, char**)
{
    float* in = tilelab::device(6 * 1024, true);
    float* out = tilelab::device(2 * 6 * 1024, false);
    float* ring = tilelab::device(8 * 1024, false);
    relay<<<1, nullptr, nullptr>>>(in, out, ring);
    for (int i = 0; i < 2 * 6 * 256; ++i) {
        if (out[i] != in[i % (6 * 256)]) {
            return 1;
        }
    }
    return 0;
}
