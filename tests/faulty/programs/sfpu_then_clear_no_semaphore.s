# check race-dst
# stands for tt-metal#55184: half of Dst cleared while the other thread works in it
.thread 0
ttzeroacc 3,0,0,1,0
ttseminit 2,0,6
ttsempost 4
.thread 1
ttsemwait 256,4,1
sfploadi L0,1,0
sfpstore L0,0,0,0  # other
+ ttstallwait 2,2048
+ ttsempost 2
.thread 0
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
