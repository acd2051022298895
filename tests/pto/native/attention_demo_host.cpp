// Launches the kernel of pto-isa's demos/torch_jit/flash_atten, as its jit_util_flash.py does: the last two arguments
// are the queries and the keys. Reads q, k (transposed) and v, writes the output.
#include "attention_data.h"

#include <cstdint>

extern "C" void call_kernel(void*, int head, int rows, int keys, bool causal, uint8_t* q, uint8_t* k, uint8_t* v,
                            uint8_t* out, float* qk, uint16_t* p, float* expMaxRing, float* pv, float* sums,
                            float* expMax, float* parts);

namespace {
constexpr size_t kHead = 128, kRows = 128, kTile = 256, kSlots = 8; // of the kernel's own
} // namespace

int main(int count, char** words)
{
    const size_t rows = std::strtoul(words[count - 2], nullptr, 10), keys = std::strtoul(words[count - 1], nullptr, 10);
    const size_t blocks = rows / kRows, ring = blocks * kSlots * kRows;
    auto* q = device<uint8_t>(rows * kHead * 2, "q.bin");
    auto* k = device<uint8_t>(keys * kHead * 2, "kt.bin");
    auto* v = device<uint8_t>(keys * kHead * 2, "v.bin");
    auto* out = device<uint8_t>(rows * kHead * 4);
    call_kernel(nullptr, kHead, rows, keys, false, q, k, v, out, device<float>(ring * kTile),
                device<uint16_t>(ring * kTile), device<float>(ring), device<float>(ring * kHead),
                device<float>(blocks * rows), device<float>(blocks * rows), device<float>(blocks * rows * kHead));
    std::vector<uint8_t> values(rows * kHead * 4);
    aclrtMemcpy(values.data(), values.size(), out, values.size(), ACL_MEMCPY_DEVICE_TO_HOST);
    std::FILE* file = std::fopen("out.bin", "wb");
    std::fwrite(values.data(), 1, values.size(), file);
    std::fclose(file);
    return 0;
}
