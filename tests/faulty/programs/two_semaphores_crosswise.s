# check deadlock
# stands for tt-metal#6875: each waits for the other
# culprit semaphore 2
.thread 0
ttseminit 2,0,6
- ttsemwait 64,4,1
- ttsempost 2
+ ttsempost 2
+ ttsemwait 64,4,1
ttcleardvalid 0,0
.thread 1
ttnop
ttnop
ttsemwait 64,2,1
ttcleardvalid 0,0
ttsempost 4
