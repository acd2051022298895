// Launches a flash-attention kernel of pto-isa for the shape (S0, S1) that its last two arguments name, of those in
// generated_cases.h: reads q, k (transposed) and v, writes the output.
#include "attention_data.h"
#include "fa_performance_kernel.h"
#include "generated_cases.h"

namespace {
template <int S0, int HEAD, int S1, int CUBE_S0, int CUBE_S1, int TILE_S1, int PRELOAD, bool CAUSAL>
int attend()
{
    constexpr size_t blocks = S0 / CUBE_S0, tiles = S1 / TILE_S1;
    constexpr size_t ring = size_t(kFaCvFifoSize) * CUBE_S0 * blocks;
    auto* q = device<aclFloat16>(size_t(S0) * HEAD, "q.bin");
    auto* k = device<aclFloat16>(size_t(S1) * HEAD, "kt.bin");
    auto* v = device<aclFloat16>(size_t(S1) * HEAD, "v.bin");
    auto* out = device<float>(size_t(S0) * HEAD);
    auto* qk = device<float>(ring * TILE_S1);
    auto* p = device<aclFloat16>(ring * TILE_S1);
    auto* pv = device<float>(ring * HEAD);
    auto* exp_max_ring = device<float>(ring);
    auto* sums = device<float>(tiles * S0);
    auto* exp_max = device<float>(tiles * S0);
    auto* parts = device<float>(tiles * S0 * HEAD);
    auto* comm = device<unsigned char>(blocks * kFaCvCommSlotBytes);
    auto* profile = device<unsigned char>(blocks * kFaProfileBytesPerBlock);
    aclrtStream stream = nullptr;
    LaunchTFA<S0, HEAD, S1, CUBE_S0, CUBE_S1, TILE_S1, PRELOAD, kFaCvFifoSize, false, CAUSAL,
              kFaCvFifoConsSyncPeriod>(nullptr, q, k, v, p, exp_max_ring, sums, exp_max, out, parts, qk, pv, profile,
                                       stream, comm);
    std::vector<float> values(static_cast<size_t>(S0) * HEAD);
    aclrtMemcpy(values.data(), values.size() * 4, out, values.size() * 4, ACL_MEMCPY_DEVICE_TO_HOST);
    std::FILE* file = std::fopen("out.bin", "wb");
    std::fwrite(values.data(), 4, values.size(), file);
    std::fclose(file);
    return 0;
}
} // namespace

int main(int count, char** arguments)
{
    const int rows = count > 2 ? std::atoi(arguments[count - 2]) : 0, keys = std::atoi(arguments[count - 1]);
#define TRY(S0, HEAD, S1, CUBE_S0, CUBE_S1, TILE_S1, PRELOAD, CAUSAL)              \
    if (rows == S0 && keys == S1) {                                                \
        return attend<S0, HEAD, S1, CUBE_S0, CUBE_S1, TILE_S1, PRELOAD, CAUSAL>(); \
    }
    TFA_FOR_EACH_CASE(TRY)
    std::printf("no case of %d rows and %d keys\n", rows, keys);
    return 2;
}
