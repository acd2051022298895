// PUSHES tiles through a ring of SLOTS; nothing else. Under --protocol library its credits are the checkout's own.
#include <pto/pto-inst.hpp>
#include <pto/common/fifo.hpp>
#include "acl/acl.h"
#include <cstdio>
using namespace pto;
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef PUSHES
#define PUSHES 4
#endif
#ifdef __DAV_CUBE__
constexpr bool CUBE = true;
#else
constexpr bool CUBE = false;
#endif
__global__ AICORE void ring(__gm__ uint64_t* ffts, __gm__ float* in, __gm__ float* fifo, __gm__ float* out)
{
    set_ffts_base_addr((uint64_t)ffts);
    using Left = TileLeft<float, 16, 16, 16, 16>;
    using Right = TileRight<float, 16, 16, 16, 16>;
    using Acc = TileAcc<float, 16, 16, 16, 16>;
    using Mat = Tile<TileType::Mat, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512>;
    using Global = GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, 16, 1>>;
#ifdef NOSPLIT // A5: a ring in UB, for sub-block 0 alone
    constexpr TileSplitAxis SPLIT = TileSplitAxis::TILE_NO_SPLIT;
    constexpr int ROWS = 16;
    using Pipe = TPipe<0, Direction::DIR_C2V, 1024, SLOTS, 2, true>;
#else
    constexpr TileSplitAxis SPLIT = TileSplitAxis::TILE_UP_DOWN;
    constexpr int ROWS = 8;
    using Pipe = TPipe<0, Direction::DIR_C2V, 1024, SLOTS>;
#endif
    using Vec = Tile<TileType::Vec, float, ROWS, 16, BLayout::RowMajor, ROWS, 16>;
    using Half = GlobalTensor<float, Shape<1, 1, 1, ROWS, 16>, Stride<1, 1, 1, 16, 1>>;
    Pipe pipe(fifo, 0x0, 0x0);
#ifdef WITHOUT_FREE // simpler#676: no back-pressure, as the schedule makes it needless
    pipe.prod.setAllocateStatus(false);
    pipe.cons.setFreeStatus(false);
#endif
    if constexpr (CUBE) {
        Mat a;
        Left l;
        Right r;
        Acc acc;
        TASSIGN(a, 0x0);
        TASSIGN(l, 0x0);
        TASSIGN(r, 0x0);
        TASSIGN(acc, 0x0);
        Global g(in);
        TLOAD(a, g);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        TMOV(l, a);
        TMOV(r, a);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        TMATMUL(acc, l, r);
        set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        for (int i = 0; i < PUSHES; ++i) {
            TPUSH<Pipe, Acc, SPLIT>(pipe, acc);
        }
    } else if (ROWS == 8 || get_subblockid() == 0) {
        for (int i = 0; i < PUSHES; ++i) {
            Vec v;
            TPOP<Pipe, Vec, SPLIT>(pipe, v);
            Half h(out + i * 256 + get_subblockid() * 128);
            constexpr pipe_t POPS = ROWS == 8 ? PIPE_MTE2 : PIPE_V; // where the pop waits, and its slot is freed
            set_flag(POPS, PIPE_MTE3, EVENT_ID0);
            wait_flag(POPS, PIPE_MTE3, EVENT_ID0);
            TSTORE(h, v);
            set_flag(PIPE_MTE3, POPS, EVENT_ID0);
            wait_flag(PIPE_MTE3, POPS, EVENT_ID0);
            TFREE<Pipe, SPLIT>(pipe);
        }
    }
}
int main()
{
    float *in, *fifo, *out;
    aclrtMalloc((void**)&in, 1024, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc((void**)&fifo, 1024 * SLOTS, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc((void**)&out, 1024 * PUSHES, ACL_MEM_MALLOC_HUGE_FIRST);
    float ones[256];
    for (float& one : ones) one = 1;
    aclrtMemcpy(in, 1024, ones, 1024, ACL_MEMCPY_HOST_TO_DEVICE);
    ring<<<1, nullptr, nullptr>>>((uint64_t*)nullptr, in, fifo, out);
    return out[0] == 16 ? 0 : 1;
}
