# Writes 0, 4, 8, … into 1024 bytes with a scalar loop, and copies them to 0x9000 through a tile
# register. Runs as it is (tilelab tilext run) and, through tilelab tilext asm --gas, from GNU as.
        .equ    PATTERN, 0x8000
        .equ    TARGET, 0x9000

        .globl  _start
_start: li      a0, PATTERN
        li      t0, 256                 # words of a tile register
        li      t1, 0
1:      sw      t1, 0(a0)
        addi    a0, a0, 4
        addi    t1, t1, 4
        addi    t0, t0, -1
        bnez    t0, 1b

        li      a0, PATTERN
        tgld.unit tr2, (a0), tilesize=1
        t_wait.all                      # without it the store is reported
        li      a1, TARGET
        tgst.unit tr2, (a1), tilesize=1
        t_wait.all

        li      a7, 93                  # exit(0)
        li      a0, 0
        ecall
