// What the hosts of flash-attention kernels share: memory of the device, filled from a file.
#pragma once

#include <acl/acl.h>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T>
T* device(size_t count, const char* file = nullptr)
{
    void* memory = nullptr;
    aclrtMalloc(&memory, count * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST);
    if (file != nullptr) {
        std::vector<T> values(count);
        std::FILE* in = std::fopen(file, "rb");
        if (in == nullptr || std::fread(values.data(), sizeof(T), count, in) != count) {
            std::printf("%s: %zu elements are missing\n", file, count);
            std::exit(2);
        }
        std::fclose(in);
        aclrtMemcpy(memory, count * sizeof(T), values.data(), count * sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE);
    }
    return static_cast<T*>(memory);
}
