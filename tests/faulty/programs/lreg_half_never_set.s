# check uninit-lreg
# stands for SFPLOADI.md (as tt-metal#53692): a number of 32 bits takes two SFPLOADI, and the one for the lower half was missing; that half keeps what was there
.thread 1
ttsetc16 12, 0               # address modifier 0 moves nothing
ttsetc16 28, 0
ttsetrwc 0, 0, 0, 0, 0, 15
sfpencc 3, 10
sfploadi L2, 16457, 8        # 0x4049: upper half of pi
+ sfploadi L2, 4059, 10        # 0x0FDB: lower half
sfpmad L3, L2, L10, L9, 0  # this
sfpnop
sfpstore L3, 0, 3, 0
sfpstore L3, 2, 3, 0
