// PTOAS#823: between a flag and its wait another pair of pipes uses the same event.
#include <pto/pto-inst.hpp>

void events(float* data)
{
    constexpr int64_t TILE = 1024;
    TLOAD(ub(0, TILE), gm(data, TILE));
    set_flag(PIPE_MTE2, PIPE_V, 2);
    set_flag(PIPE_MTE2, PIPE_MTE3, 2);
    wait_flag(PIPE_MTE2, PIPE_MTE3, 2);
    TSTORE(gm(data, TILE), ub(0, TILE));
    wait_flag(PIPE_MTE2, PIPE_V, 2);
    TADD(ub(4096, TILE), ub(0, TILE));
    set_flag(PIPE_V, PIPE_MTE3, 0);
    wait_flag(PIPE_V, PIPE_MTE3, 0);
    TSTORE(gm(data, TILE), ub(4096, TILE));
}

int main(int, char**)
{
    float* data = tilelab::device(1024, true);
    events<<<1, nullptr, nullptr>>>(data);
    return 0;
}
