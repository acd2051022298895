// For Vector cores alone: every block works in place on a tile of its own, and says how many cores share the block.
#include <pto/pto-inst.hpp>

void alone(float* data, float* lanes)
{
    constexpr int64_t TILE = 1024;
    float* mine = data + tl_block() * 256;
    TLOAD(ub(0, TILE), gm(mine, TILE));
    set_flag(PIPE_MTE2, PIPE_V, 0);
    wait_flag(PIPE_MTE2, PIPE_V, 0);
    TADD(ub(4096, TILE), ub(0, TILE));
    set_flag(PIPE_V, PIPE_MTE3, 0);
    wait_flag(PIPE_V, PIPE_MTE3, 0);
    TSTORE(gm(mine, TILE), ub(4096, TILE));
    lanes[tl_block()] += 10 * tl_lanes() + tl_lane() + 1; // 11: one core in a block, and it is the first Vector core
}

int main(int, char**)
{
    float* data = tilelab::device(3 * 1024, true);
    float* lanes = tilelab::device(64, false);
    alone<<<3, nullptr, nullptr>>>(data, lanes);
    return lanes[0] == 11 && lanes[1] == 11 && lanes[2] == 11 ? 0 : 1;
}
