// A5's locks in place of flags: a tile is loaded, added and stored, each pipe behind the one before. CASE breaks one.
#include <pto/pto-inst.hpp>
#ifndef CASE
#define CASE 0
#endif

void buffers(float* data)
{
    constexpr int64_t TILE = 1024;
    if (CASE != 1) {
        get_buf(PIPE_MTE2, 0);
    }
    TLOAD(ub(0, TILE), gm(data, TILE));
    if (CASE != 2) {
        rls_buf(PIPE_MTE2, 0);
    }
    if (CASE != 3) {
        get_buf(PIPE_V, 0);
    }
    TADD(ub(4096, TILE), ub(0, TILE));
    rls_buf(PIPE_V, CASE == 4 ? 1 : 0);
    get_buf(PIPE_MTE3, 0);
    TSTORE(gm(data, TILE), ub(4096, TILE));
    rls_buf(PIPE_MTE3, 0);
}

int main(int, char**)
{
    float* data = tilelab::device(1024, true);
    buffers<<<1, nullptr, nullptr>>>(data);
    return 0;
}
