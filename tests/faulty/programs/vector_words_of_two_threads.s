# check race-dst
# stands for tt-metal#53415: two threads' words of the vector unit store to the same rows
.thread 1
ttseminit 2,0,2
ttzeroacc 3,0,0,1,0
sfploadi L0,16256,0
ttstallwait 256,2048
sfpstore L0,0,0,0  # other
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
+ ttsemwait 256,2,1
sfploadi L1,16384,0
sfpstore L1,0,0,0  # this
