// A core's first instructions, and what its ELF says of its source. Comes last in a start-up's file.
#pragma once

#if defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)
// BRISC's code begins at 0, and firmware has words behind its first instruction.
#define TILELAB_BEGIN "_begin"
#define TILELAB_ENTRY "j _begin\n.size _start, . - _start\n.text\n.type _begin, @function\n_begin:"
#define TILELAB_MAIN "data_movement_main"
#else
#define TILELAB_BEGIN "_start"
#define TILELAB_ENTRY ""
#define TILELAB_MAIN "trisc_main"
#endif

// Entry: global pointer, stack, initialised data (the loader put it at __data_image), zeroed data.
asm(R"(
    .section .init, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
)" TILELAB_ENTRY R"(
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    la t0, __data_image
    la t1, __data_start
    la t2, __data_end
1:  bgeu t1, t2, 2f
    lw t3, 0(t0)
    sw t3, 0(t1)
    addi t0, t0, 4
    addi t1, t1, 4
    j 1b
2:  la t2, __bss_end
3:  bgeu t1, t2, 4f
    sw zero, 0(t1)
    addi t1, t1, 4
    j 3b
4:  j )" TILELAB_MAIN R"(
    .size )" TILELAB_BEGIN ", . - " TILELAB_BEGIN R"(
    .text
)");
