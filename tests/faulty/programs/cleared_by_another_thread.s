# check race-dst
# stands for tt-metal#55184: a thread clears the half in which another one's words of that unit work
.thread 0
ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
.thread 1
ttseminit 2,0,2
ttzeroacc 3,0,0,1,0
ttmvmul 0,0,0,0  # other
+ ttsempost 2
.thread 2
ttnop
ttnop
ttnop
ttnop
ttnop
ttnop
ttnop
ttnop
ttnop
ttnop
+ ttsemwait 64,2,1
ttzeroacc 3,0,0,1,0  # this
