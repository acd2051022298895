// What compiled PTO kernels and their host code ask of tilelab: a log of records, and a way to stop for an answer.
#ifndef TILELAB_NATIVE_H
#define TILELAB_NATIVE_H
#include <cstdint>

// A record: kind, number of words, return address, words. Notes are read when the core next stops.
enum TilelabKind : int64_t {
    TL_OP = 1,       // name, function, operands, then per operand: role, place, address, rows, row bytes, stride
    TL_SET_FLAG = 2, // source pipe, destination pipe, event
    TL_WAIT_FLAG = 3,
    TL_BARRIER = 4, // pipe
    TL_ERROR = 5,   // text
    TL_GET_BUF = 6, // pipe, buffer
    TL_RLS_BUF = 7,
    // From here on the core stops until it is resumed with a reply.
    TL_OPEN = 10,
    TL_CLOSE = 11,
    TL_PUSH = 12,
    TL_POP = 13,
    TL_MOVED = 14, // the payload of the push or pop under way lies where it belongs
    TL_ALLOC = 15,
    TL_PUSH_GLOBAL = 16,
    TL_POP_GLOBAL = 17,
    TL_FREE = 18,
    TL_FREE_GLOBAL = 19,
    TL_RAW_WAIT = 20,   // pipe, flag
    TL_RAW_SIGNAL = 21, // pipe, flag, mode
    TL_HOST_ALLOC = 22, // address, bytes
    TL_HOST_FREE = 23,
    TL_HOST_WRITE = 24,  // address, bytes
    TL_HOST_LAUNCH = 25, // entry name, arguments, blocks
    TL_SYNC_ALL = 26,
};

enum TilelabPlace : int64_t { TL_GM, TL_UB, TL_L1, TL_L0A, TL_L0B, TL_L0C, TL_BT, TL_FB, TL_MX_A, TL_MX_B, TL_REG, TL_PLACES };

extern "C" {
void tl_note(int64_t kind, int64_t count, const int64_t* words);
int64_t tl_ask(int64_t kind, int64_t count, const int64_t* words);
[[noreturn]] void tl_fail(const char* text);
[[noreturn]] void tl_end(); // the core has come to its end
int tl_is_host();
int tl_lane();  // -1 on the Cube, 0 or 1 on a Vector core
int tl_block(); // get_block_idx()
int tl_blocks();
int tl_lanes(); // get_subblockdim()
char* tl_place(int lane, int place); // the first byte of a core's memory
int64_t tl_place_bytes();            // how many bytes of it are mapped
int tl_is_local(uint64_t address);
void tl_register(const char* name, void (*entry)(void*));
}

namespace tilelab {
template <class... Words>
__attribute__((always_inline)) inline int64_t ask(TilelabKind kind, Words... words)
{
    const int64_t all[] = {static_cast<int64_t>(words)..., 0};
    return tl_ask(kind, sizeof...(words), all);
}

template <class... Words>
__attribute__((always_inline)) inline void note(TilelabKind kind, Words... words)
{
    const int64_t all[] = {static_cast<int64_t>(words)..., 0};
    tl_note(kind, sizeof...(words), all);
}

template <class Pointer>
int64_t word(Pointer* pointer)
{
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer));
}
} // namespace tilelab
#endif
