# check src-bank-unwaited
# stands for tt-metal#50972 (MOVD2B.md): MOVD2B writes SrcB's bank, and the wait before it asked for SrcA's
.thread 0
ttunpacr_nop 0, 0, 0, 1, 0, 0, 0, 0, 1
ttnop
ttnop
ttnop
ttnop
ttunpacr_nop 1, 0, 0, 1, 0, 0, 0, 0, 1  # other
.thread 1
ttsetrwc 0, 0, 0, 0, 0, 15
sfpencc 3, 10
sfploadi L0, 16384, 0        # 2.0
sfpstore L0, 0, 2, 0
sfpstore L0, 2, 2, 0
- ttstallwait 64, 2192
+ ttstallwait 64, 2320         # matrix and vector unit are idle, SrcB is there
ttmovd2b 0, 16, 0, 2, 0  # this
ttstallwait 64, 384
ttsetrwc 3, 0, 0, 0, 0, 0
