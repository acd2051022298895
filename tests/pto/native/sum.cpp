// Both Vector cores of every block add the same tile to one place; with READ_BACK one of them looks at it too early.
#include <pto/pto-inst.hpp>

void sum(float* in, float* out, float* seen)
{
#ifdef __DAV_VEC__
    constexpr int64_t TILE = 1024;
    TLOAD(ub(0, TILE), gm(in, TILE));
    set_flag(PIPE_MTE2, PIPE_MTE3, 0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, 0);
    TSTORE_ADD(gm(out, TILE), ub(0, TILE));
#ifdef READ_BACK
    if (tl_lane() == 1) {
        set_flag(PIPE_MTE3, PIPE_MTE2, 0);
        wait_flag(PIPE_MTE3, PIPE_MTE2, 0);
        TLOAD(ub(4096, TILE), gm(out, TILE));
    }
#endif
#endif
}

int main(int, char**)
{
    float* in = tilelab::device(1024, true);
    float* out = tilelab::device(1024, true);
    sum<<<2, nullptr, nullptr>>>(in, out, nullptr);
    return out[7] == 5 * 7 ? 0 : 1;
}
