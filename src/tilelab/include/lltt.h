// The replay buffer's instructions, under the vendor's names.
//
// A word that is known when compiling is issued from the instruction stream; another is stored to
// the instruction buffer.
#pragma once

#include <stdint.h>

extern volatile uint32_t __instrn_buffer[];

namespace lltt {

enum ExecBool : bool { NoExec, Exec };

namespace impl {

[[gnu::always_inline]] constexpr uint32_t replay(unsigned start, unsigned length, bool execute, bool record) {
    return 0x04u << 24 | start << 14 | length << 4 | uint32_t(execute) << 1 | uint32_t(record);
}

[[gnu::always_inline]] inline void issue(uint32_t word) {
    if (__builtin_constant_p(word)) {
        __asm__ volatile(".ttinsn %0" : : "i"(word));
    } else {
        __asm__ volatile("# tt.replay");  // the build then leaves the buffer to the source
        __instrn_buffer[0] = word;
    }
}

}  // namespace impl

// The next `length` words go into the buffer from `start` on; with Exec they also run.
template <ExecBool execute = NoExec>
[[gnu::always_inline]] inline void record(unsigned start, unsigned length) {
    impl::issue(impl::replay(start, length, execute, true));
}

[[gnu::always_inline]] inline void replay(unsigned start, unsigned length) {
    impl::issue(impl::replay(start, length, false, false));
}

// The word alone, for a MOP's template.
[[gnu::always_inline]] constexpr uint32_t replay_insn(unsigned start, unsigned length) {
    return impl::replay(start, length, false, false);
}

}  // namespace lltt
