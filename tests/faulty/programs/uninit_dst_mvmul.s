# check uninit-dst
# stands for tt-llk#1643: an init that clears is skipped
.thread 0
+ ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
.thread 1
ttnop
ttmvmul 0,0,0,0  # this
