# check dst-read-early
# stands for tt-metal#50972: Dst read before its write is legal
.thread 0
ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
.thread 1
ttnop
ttelwmul 0,0,0,0,0  # other
+ ttnop
+ ttnop
+ ttnop
sfpload L0,0,0,0  # this
