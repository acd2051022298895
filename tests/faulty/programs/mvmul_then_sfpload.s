# check dst-read-early
# stands for tt-metal#50972: Dst read before its write is legal
.thread 0
ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
.thread 1
ttstallwait 320,384
sfploadi L0,16256,0
sfpstore L0,0,0,0
ttstallwait 64,2048
ttmovd2a 0,0,0,2,0
ttmovd2b 0,0,0,2,0
ttmvmul 0,0,0,0  # other
+ ttnop
+ ttnop
+ ttnop
sfpload L0,0,0,0  # this
