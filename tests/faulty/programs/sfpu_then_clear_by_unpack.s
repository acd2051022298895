# check race-dst
# stands for tt-metal#53416: the vector unit is not waited for before a half is handed over
.thread 0
ttzeroacc 3,0,0,1,0
ttseminit 2,0,6
ttsempost 4
.thread 1
ttsemwait 256,4,1
sfploadi L0,1,0
sfpstore L0,0,0,0  # other
+ ttstallwait 2,2048
ttsempost 2
.thread 0
ttsemwait 64,2,1
ttzeroacc 3,0,0,1,0  # this
