# check src-bank-left
# stands for tt-metal#53413 (#54483): the unpacker gave one bank more than math took, and it stayed given when the kernel ended
.thread 0
ttunpacr_nop 0, 0, 0, 1, 0, 0, 0, 0, 1
ttunpacr_nop 1, 0, 0, 1, 0, 0, 0, 0, 1
- ttunpacr_nop 1, 0, 0, 1, 0, 0, 0, 0, 1  # this
.thread 1
ttsetc16 12, 0               # address modifier 0 moves nothing
ttsetc16 28, 0
ttsetc16 47, 0
ttsetrwc 0, 0, 0, 0, 0, 15
ttelwadd 0, 0, 0, 0, 0
ttelwadd 3, 0, 0, 0, 8
