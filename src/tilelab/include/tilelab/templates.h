// The frontend's programs: the replay buffer, the two MOP templates, and the address modifiers that
// the expanded instructions name.
#pragma once

#include <tilelab/tensix.h>
#include <utility>

namespace lltt {

enum ExecBool : bool { NoExec = false, Exec = true };

// The next `length` words go into the replay buffer from slot `start` on; with Exec they also run.
template <ExecBool Execute = NoExec>
[[gnu::always_inline]] inline void record(uint32_t start, uint32_t length) {
    TTI_REPLAY(start, length, Execute, 1);
}

[[gnu::always_inline]] inline void replay(uint32_t start, uint32_t length) {
    TTI_REPLAY(start, length, 0, 0);
}

// The word that replays those slots, for a MOP template.
constexpr uint32_t replay_insn(uint32_t start, uint32_t length) {
    return TT_OP_REPLAY(start, length, 0, 0);
}

}  // namespace lltt

namespace ckernel {

using lltt::Exec;
using lltt::ExecBool;
using lltt::NoExec;

// Whether adjacent instructions of the stream may be pushed together, up to four a cycle; Wormhole
// pushes one at a time anyway.
[[gnu::always_inline]] inline void disable_gathering() {
#ifndef ARCH_WORMHOLE
    asm volatile("csrrs zero, 0x7C0, %0" : : "r"(1u << 18) : "memory");
#endif
}
[[gnu::always_inline]] inline void enable_gathering() {
#ifndef ARCH_WORMHOLE
    asm volatile("csrrc zero, 0x7C0, %0" : : "r"(1u << 18) : "memory");
#endif
}

// Record the words that `body`, called with the arguments, issues; it must issue exactly `length`.
template <ExecBool Execute = NoExec, typename Body, typename... Arguments>
[[gnu::always_inline]] inline void load_replay_buf(uint32_t start, uint32_t length, Body&& body,
                                                   Arguments&&... arguments) {
    disable_gathering();
    lltt::record<Execute>(start, length);
    body(std::forward<Arguments>(arguments)...);
    enable_gathering();
}

constexpr uint32_t TENSIX_MOP_CFG_BASE = 0xFFB80000;

// Write the thread's nine MOP registers, once no MOP reads them any more.
inline void write_mop_cfg(const uint32_t (&words)[9]) {
    mop_sync();
    for (uint32_t i = 0; i < 9; ++i) *word_at(TENSIX_MOP_CFG_BASE + 4 * i) = words[i];
}

// MOP template 1: a loop in a loop (MOPExpander.md).
class ckernel_template {
    uint32_t outer, inner, start = TT_OP_NOP, end0 = TT_OP_NOP, end1 = TT_OP_NOP, loop0, loop1;
    uint32_t last_of_all, last_of_inner;

  public:
    // `outer` times: start op, `inner` times (loop0, then loop1 if given), end ops.
    ckernel_template(uint32_t outer, uint32_t inner, uint32_t loop0)
        : outer(outer), inner(inner), loop0(loop0), loop1(TT_OP_NOP),
          last_of_all(loop0), last_of_inner(loop0) {}
    ckernel_template(uint32_t outer, uint32_t inner, uint32_t loop0, uint32_t loop1)
        : outer(outer), inner(inner), loop0(loop0), loop1(loop1),
          last_of_all(loop1), last_of_inner(loop1) {}

    void set_start_op(uint32_t op) { start = op; }
    void set_end_op(uint32_t op) { set_end_ops(op, TT_OP_NOP); }
    void set_end_ops(uint32_t op0, uint32_t op1) { end0 = op0, end1 = op1; }
    // What takes the place of the inner loop's last op: in each outer iteration but the last …
    void set_last_inner_loop_instr(uint32_t op) { last_of_inner = op; }
    // … and in the last.
    void set_last_outer_loop_instr(uint32_t op) { last_of_all = op; }

    void program() const {
        write_mop_cfg({outer, inner, start, end0, end1, loop0, loop1, last_of_all, last_of_inner});
    }
    [[gnu::always_inline]] static void run() { TTI_MOP(1, 0, 0); }
};

// MOP template 0: up to 128 iterations, a mask bit each choosing between unpack and skip.
class ckernel_unpack_template {
    bool with_b, with_a123;
    uint32_t a0, a1, a2, a3, skip_a, b, skip_b;

  public:
    ckernel_unpack_template(bool with_b, bool with_a123, uint32_t a0, uint32_t a1, uint32_t a2,
                            uint32_t a3, uint32_t skip_a, uint32_t b, uint32_t skip_b)
        : with_b(with_b), with_a123(with_a123), a0(a0), a1(a1), a2(a2), a3(a3),
          skip_a(skip_a), b(b), skip_b(skip_b) {}

    void program() const {
        const uint32_t flags = with_b | with_a123 << 1;
        write_mop_cfg({0, flags, b, a0, a1, a2, a3, skip_a, skip_b});
    }
    [[gnu::always_inline]] static void run(uint32_t count, uint32_t zmask) {
        TT_MOP_CFG(zmask >> 16);
        TT_MOP(0, count - 1, zmask & 0xFFFF);
    }
    // With the high half of the mask as the last MOP_CFG left it.
    [[gnu::always_inline]] static void run(uint32_t count) { TT_MOP(0, count - 1, 0); }
};

constexpr uint32_t slot_word(ThreadConfigField slot0, ThreadConfigField slot1, uint32_t slot) {
    return slot0.word + (slot1.word - slot0.word) * slot;
}

// How an instruction of the matrix unit moves the counters after it ran (RWCs.md): `incr` adds,
// `cr` returns to the carry, `clr` to zero.
struct addr_mod_source {
    uint32_t incr = 0, clr = 0, cr = 0;
    constexpr uint32_t bits() const { return (incr & 0x3F) | cr << 6 | clr << 7; }
};
struct addr_mod_dest {
    uint32_t incr = 0, clr = 0, cr = 0, c_to_cr = 0;
    constexpr uint32_t bits() const {
        return (incr & 0x3FF) | cr << 10 | clr << 11 | c_to_cr << 12;
    }
};
struct addr_mod_phase {
    uint32_t incr = 0, clr = 0;
};
struct addr_mod_t {
    addr_mod_source srca{}, srcb{};
    addr_mod_dest dest{};
    addr_mod_phase fidelity{}, bias{};

    // Write slot 0 to 7. The values may be known only at run time.
    [[gnu::always_inline]] void set(uint32_t slot) const {
        using namespace cfg;
        write(slot_word(ADDR_MOD_AB_SEC0_SrcAIncr, ADDR_MOD_AB_SEC1_SrcAIncr, slot),
              srca.bits() | srcb.bits() << 8);
        write(slot_word(ADDR_MOD_DST_SEC0_DestIncr, ADDR_MOD_DST_SEC1_DestIncr, slot),
              dest.bits() | fidelity.incr << 13 | fidelity.clr << 15);
        write(slot_word(ADDR_MOD_BIAS_SEC0_BiasIncr, ADDR_MOD_BIAS_SEC1_BiasIncr, slot),
              bias.incr | bias.clr << 4);
    }

  private:
    [[gnu::always_inline]] static void write(uint32_t word, uint32_t value) {
        tilelab::issue_either(TT_OP_SETC16(word, value));
    }
};

// The same for the packer's counters.
struct addr_mod_line {
    uint32_t incr = 0, clr = 0, cr = 0;
    constexpr uint32_t bits() const { return (incr & 0xF) | cr << 4 | clr << 5; }
};
struct addr_mod_plane {
    uint32_t incr = 0, clr = 0;
    constexpr uint32_t bits() const { return (incr & 1) | clr << 1; }
};
struct addr_mod_pack_t {
    addr_mod_line y_src{}, y_dst{};
    addr_mod_plane z_src{}, z_dst{};

    // Write slot 0 to 3.
    [[gnu::always_inline]] void set(uint32_t slot) const {
        using namespace cfg;
        TTI_SETC16(slot_word(ADDR_MOD_PACK_SEC0_YsrcIncr, ADDR_MOD_PACK_SEC1_YsrcIncr, slot),
                   y_src.bits() | y_dst.bits() << 6 | z_src.bits() << 12 | z_dst.bits() << 14);
    }
};

}  // namespace ckernel
