// Instructions whose operands are more than one result and what it is made of, in a healthy order: silent.
#include <pto/pto-inst.hpp>
#include "acl/acl.h"
using namespace pto;

#ifdef TILELAB_A5
#define AFTER_VECTOR // PIPE_V orders itself
#else
#define AFTER_VECTOR TSYNC<Op::TADD>()
#endif

constexpr int N = 16;
using T = Tile<TileType::Vec, float, N, N, BLayout::RowMajor, N, N>;
using I = Tile<TileType::Vec, int32_t, N, N, BLayout::RowMajor, N, N>;
using G = GlobalTensor<float, pto::Shape<1, 1, 1, N, N>, pto::Stride<N * N, N * N, N * N, N, 1>>;
using GI = GlobalTensor<int32_t, pto::Shape<1, 1, 1, N, N>, pto::Stride<N * N, N * N, N * N, N, 1>>;

__global__ AICORE void kernel(__gm__ float* in, __gm__ float* out, __gm__ int32_t* ints)
{
    T a, b, c, d, e, tmp;
    I x, y, z, scratch;
    TASSIGN(a, 0x0); TASSIGN(b, 0x1000); TASSIGN(c, 0x2000); TASSIGN(d, 0x3000); TASSIGN(e, 0x4000); TASSIGN(tmp, 0x9000);
    TASSIGN(x, 0x5000); TASSIGN(y, 0x6000); TASSIGN(z, 0x7000); TASSIGN(scratch, 0x8000);
    G g0(in), g1(in + N * N);
    GI gi(ints);
    Event<Op::TLOAD, Op::TADD> loaded;
    Event<Op::TADD, Op::TSTORE_VEC> made;
    TLOAD(a, g0);
    TLOAD(x, gi);
    TLOAD(y, gi);
    loaded = TLOAD(b, g1);
    TINTERLEAVE(d, c, b, a, loaded); // two results
    AFTER_VECTOR;
    TAXPY(c, a, 2.0f); // adds to what lies there
    AFTER_VECTOR;
    TXOR(z, x, y, scratch); // which nothing has written before
    AFTER_VECTOR;
    TREM(e, c, d, tmp); // the header runs this one without saying so
    AFTER_VECTOR;
    made = TADD(e, e, c);
    G go(out);
    TSTORE(go, e, made);
}

int main()
{
    float *in, *out;
    int32_t* ints;
    static float numbers[2 * N * N];
    for (int i = 0; i < 2 * N * N; ++i) {
        numbers[i] = 1.0f + i;
    }
    aclrtMalloc(reinterpret_cast<void**>(&in), sizeof numbers, 0);
    aclrtMalloc(reinterpret_cast<void**>(&out), N * N * 4, 0);
    aclrtMalloc(reinterpret_cast<void**>(&ints), N * N * 4, 0);
    aclrtMemcpy(in, sizeof numbers, numbers, sizeof numbers, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemset(ints, N * N * 4, 1, N * N * 4);
    kernel<<<1, nullptr, nullptr>>>(in, out, ints);
    return 0;
}
