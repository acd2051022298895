# check uninit-src
# stands for tt-metal PR#45142: a bank given without data
.thread 0
ttzeroacc 3,0,0,1,0
- ttunpacr_nop 0,0,0,1,0,0,0,0,2
+ ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
.thread 1
ttnop
ttelwadd 0,0,0,0,0  # this
