# check src-a-clear-not-valid
# stands for tt-llk#1378: a bank is cleared twice
.thread 0
ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
.thread 1
ttnop
ttnop
ttelwadd 0,0,0,0,0
ttcleardvalid 1,0
- ttcleardvalid 1,0  # this
+ ttnop
