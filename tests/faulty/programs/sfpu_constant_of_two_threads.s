# check race-lreg
# stands for tt-metal#50399: two threads set the vector unit's shared registers
.thread 1
sfploadi L0,16256,0  # other
sfpconfig 0,11,0
+ ttstallwait 2,0x800
+ ttsempost 4
.thread 2
+ ttsemwait 0x1ff,4,1
sfploadi L0,16384,0  # this
sfpconfig 0,11,0
