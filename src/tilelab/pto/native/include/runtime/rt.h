#pragma once
#include <cstdint>
constexpr int RT_ERROR_NONE = 0;
inline int rtGetC2cCtrlAddr(uint64_t* address, uint32_t* length)
{
    *address = 0;
    *length = 0;
    return 0;
}
