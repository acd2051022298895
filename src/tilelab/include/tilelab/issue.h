// How a core hands an instruction word to its thread's frontend (PushTensixInstruction.md): as a
// word of its own instruction stream, rotated left by two so that the low bits are not 11, or by a
// store to the instruction buffer. Both take effect in program order.
#pragma once
#include <tilelab/error.h>
#include <stdint.h>

typedef unsigned int uint;

namespace tilelab {

TILELAB_ERROR("an operand does not fit its field") void operand_out_of_range();

// The value in bits hi:lo of a word. Checked where the compiler knows the value.
[[gnu::always_inline]] constexpr uint32_t field(uint32_t value, unsigned hi, unsigned lo) {
    const uint32_t mask = 0xFFFFFFFFu >> (31 - (hi - lo));
    if (__builtin_constant_p(value) && value > mask) operand_out_of_range();
    return (value & mask) << lo;
}

constexpr uint32_t in_stream(uint32_t word) { return word << 2 | word >> 30; }

[[gnu::always_inline]] inline void issue(uint32_t word) {
    *reinterpret_cast<volatile uint32_t*>(0xFFE40000) = word;
}

// Issue a word that is a constant from the instruction stream.
template <uint32_t Word>
[[gnu::always_inline]] inline void issue_in_stream() {
    asm volatile(".word %0" : : "i"(in_stream(Word)));
}

// Issue a word in the cheaper way that can: from the instruction stream, if the compiler knows it.
[[gnu::always_inline]] inline void issue_either(uint32_t word) {
    if (__builtin_constant_p(word))
        asm volatile(".word %0" : : "i"(in_stream(word)));
    else
        issue(word);
}

}  // namespace tilelab

// A word out of opcode and operands, as the vendor's headers build it.
#define TT_OP(opcode, operands) (static_cast<uint32_t>(opcode) << 24 | static_cast<uint32_t>(operands))

#define TILELAB_ISSUE_CONSTANT(word) asm volatile(".word %0" : : "i"(tilelab::in_stream(word)))
