# check dst-read-early
# stands for tt-metal#53823: the wait is for another unit
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
- ttstallwait 256,1
+ ttstallwait 256,16
sfpload L0,0,0,0  # this
