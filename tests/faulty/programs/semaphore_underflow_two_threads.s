# check semaphore-underflow
# stands for tt-llk#71: the wait is for the wrong condition
.thread 0
ttseminit 2,0,2
ttnop
ttnop
ttnop
ttnop
ttnop
ttnop
ttsempost 2
.thread 1
ttnop
ttnop
- ttsemwait 2,2,2
+ ttsemwait 2,2,1
ttsemget 2  # this
