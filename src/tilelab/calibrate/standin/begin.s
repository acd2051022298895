# A core's first instructions: what tt-metal's firmware sets up on Blackhole (firmware_cfg0: no
# gathering of .ttinsn, tt-metal#16439, and no L0 data cache), stack and data in the core's own RAM,
# the kernel, and a word in L1 when it is done. Then, as under the firmware, the core looks at a word
# of L1 for ever, with WAIT between two looks.
    .section .init, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    lui t0, %hi(__firmware_cfg0)
    addi t0, t0, %lo(__firmware_cfg0)
    beqz t0, 1f
    csrrs zero, 0x7c0, t0
1:  la t0, __data_image
    la t1, __data_start
    la t2, __data_end
5:  bgeu t1, t2, 6f
    lw t3, 0(t0)
    sw t3, 0(t1)
    addi t0, t0, 4
    addi t1, t1, 4
    j 5b
6:  la t2, __bss_end
2:  bgeu t1, t2, 3f
    sw zero, 0(t1)
    addi t1, t1, 4
    j 2b
3:  call kernel
    lui t0, %hi(__done)
    addi t0, t0, %lo(__done)
    li t1, 1
    sw t1, 0(t0)
    addi t0, t0, 4
4:  lw t1, 0(t0)
    WAIT
    beqz t1, 4b
    .size _start, . - _start
