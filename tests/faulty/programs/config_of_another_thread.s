# check config-not-ready
# stands for tt-llk#1639: the order of two threads is left to luck
.thread 0
+ ttseminit 1,0,2
ttrmwcib0 255,3,180  # other
+ ttsempost 2
.thread 1
ttnop
ttnop
ttnop
+ ttsemwait 128,2,1
ttrdcfg 6,180  # this
