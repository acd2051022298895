// The user's stub, with what synchronises and what allocates replaced: those are modelled here.
#ifndef TILELAB_CPU_STUB_HPP
#define TILELAB_CPU_STUB_HPP
#define set_flag tl_unused_set_flag
#define wait_flag tl_unused_wait_flag
#define pipe_barrier tl_unused_pipe_barrier
#define get_block_idx tl_unused_get_block_idx
#define get_block_num tl_unused_get_block_num
#define get_subblockid tl_unused_get_subblockid
#define get_subblockdim tl_unused_get_subblockdim
#define aclrtMalloc tl_unused_aclrtMalloc
#define aclrtFree tl_unused_aclrtFree
#define aclrtMemcpy tl_unused_aclrtMemcpy
#define aclrtMemset tl_unused_aclrtMemset
#define aclrtCreateStream tl_unused_aclrtCreateStream
#define SYNCALL_IMPL tl_unused_SYNCALL_IMPL
#include <tuple>
#include <typeinfo>
#include_next <pto/common/cpu_stub.hpp>
#undef set_flag
#undef wait_flag
#undef pipe_barrier
#undef get_block_idx
#undef get_block_num
#undef get_subblockid
#undef get_subblockdim
#undef aclrtMalloc
#undef aclrtFree
#undef aclrtMemcpy
#undef aclrtMemset
#undef aclrtCreateStream
#undef SYNCALL_IMPL

#include "tilelab/native.h"

#define TL_INLINE __attribute__((always_inline)) inline
#define __ssbuf__

TL_INLINE void set_flag(pipe_t from, pipe_t to, int event) { tilelab::note(TL_SET_FLAG, from, to, event); }
TL_INLINE void wait_flag(pipe_t from, pipe_t to, int event) { tilelab::note(TL_WAIT_FLAG, from, to, event); }
TL_INLINE void pipe_barrier(pipe_t pipe) { tilelab::note(TL_BARRIER, pipe); }
// A5: what a pipe is sent behind get_buf runs once the buffer is released; the third argument is the lock's mode.
TL_INLINE void get_buf(pipe_t pipe, uint8_t buffer, int = 0) { tilelab::note(TL_GET_BUF, pipe, buffer); }
TL_INLINE void rls_buf(pipe_t pipe, uint8_t buffer, int = 0) { tilelab::note(TL_RLS_BUF, pipe, buffer); }
inline uint32_t get_block_idx() { return static_cast<uint32_t>(tl_block()); }
inline uint32_t get_block_num() { return static_cast<uint32_t>(tl_blocks()); }
inline uint32_t get_subblockid() { return tl_lane() > 0 ? 1u : 0u; }
inline uint32_t get_subblockdim() { return static_cast<uint32_t>(tl_lanes()); }
namespace tilelab {
struct BlockIndex {
    operator int() const { return tl_block(); }
};
} // namespace tilelab
inline tilelab::BlockIndex block_idx; // A5's compiler knows it by itself
inline uint64_t get_sys_cnt()
{
    static uint64_t count = 0;
    return ++count;
}
inline void set_ffts_base_addr(uint64_t) {}
inline void set_atomic_none() {}
inline void set_atomic_add() { tl_fail("set_atomic_add() is not modelled; TSTORE with AtomicType::AtomicAdd is"); }

namespace tilelab {
// While the user's own TPipe moves data, its synchronisation is silent: tilelab's engine decides that.
inline int muted = 0;
struct Muted {
    TL_INLINE Muted() { ++muted; }
    TL_INLINE ~Muted() { --muted; }
};
} // namespace tilelab

TL_INLINE void wait_flag_dev(int64_t flag)
{
    if (tilelab::muted == 0) {
        tilelab::ask(TL_RAW_WAIT, PIPE_S, flag);
    }
}
TL_INLINE void ffts_cross_core_sync(pipe_t pipe, uint64_t message)
{
    if (tilelab::muted == 0) {
        tilelab::ask(TL_RAW_SIGNAL, pipe, (message >> 8) & 15, (message >> 4) & 3);
    }
}
TL_INLINE void wait_intra_block(pipe_t pipe, int64_t flag)
{
    if (tilelab::muted == 0) {
        tilelab::ask(TL_RAW_WAIT, pipe, flag);
    }
}
TL_INLINE void set_intra_block(pipe_t pipe, int64_t flag)
{
    if (tilelab::muted == 0) {
        tilelab::ask(TL_RAW_SIGNAL, pipe, flag, 2);
    }
}

// Auto mode: one tile's data is a part of another's.
template <class To, class From>
inline void __cce_alias(To& to, From& from, uint64_t bytes)
{
    to = reinterpret_cast<To>(reinterpret_cast<char*>(from) + bytes);
}

namespace pto {
template <SyncCoreType CoreType = SyncCoreType::AIVOnly>
inline void SYNCALL_IMPL()
{
    tilelab::ask(TL_SYNC_ALL, static_cast<int>(CoreType));
}
} // namespace pto

inline int aclrtMalloc(void** p, size_t size, int)
{
    *p = std::calloc(1, size + 64);
    tilelab::ask(TL_HOST_ALLOC, tilelab::word(static_cast<char*>(*p)), size);
    return 0;
}
inline int aclrtFree(void* p)
{
    tilelab::ask(TL_HOST_FREE, tilelab::word(static_cast<char*>(p)));
    std::free(p);
    return 0;
}
inline int aclrtMemcpy(void* to, size_t room, const void* from, size_t size, int kind)
{
    std::memcpy(to, from, std::min(room, size));
    if (kind != ACL_MEMCPY_DEVICE_TO_HOST) {
        tilelab::ask(TL_HOST_WRITE, tilelab::word(static_cast<char*>(to)), std::min(room, size));
    }
    return 0;
}
inline int aclrtMemcpyAsync(void* to, size_t room, const void* from, size_t size, int kind, aclrtStream)
{
    return aclrtMemcpy(to, room, from, size, kind);
}
inline int aclrtMemset(void* to, size_t room, int value, size_t size)
{
    std::memset(to, value, std::min(room, size));
    tilelab::ask(TL_HOST_WRITE, tilelab::word(static_cast<char*>(to)), std::min(room, size));
    return 0;
}
inline int aclrtCreateStream(aclrtStream* stream)
{
    *stream = nullptr;
    return 0;
}
using aclError = int;
constexpr int ACL_SUCCESS = 0;
constexpr int ACL_ERROR_NONE = 0;

namespace tilelab {
// A launch: the entry is found again, by its type's name, in the library of each core.
template <class Call, class... Args>
struct Entry {
    static void run(void* packed)
    {
        std::apply([](auto... args) { Call{}(args...); }, *static_cast<std::tuple<Args...>*>(packed));
    }
    static inline const bool known = (tl_register(typeid(Entry).name(), &run), true);
};

template <class Blocks, class... Ignored>
int64_t blocks(Blocks count, Ignored...)
{
    return static_cast<int64_t>(count);
}

template <class Call, class... Args>
void launch(Call, int64_t count, Args... args)
{
    (void)Entry<Call, Args...>::known;
    std::tuple<Args...> packed(args...);
    ask(TL_HOST_LAUNCH, word(typeid(Entry<Call, Args...>).name()), word(&packed), count);
}
} // namespace tilelab
#endif
