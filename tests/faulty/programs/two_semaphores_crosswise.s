# check deadlock
# stands for tt-metal#6875: each waits for the other
# culprit comes behind its own wait
.thread 0
ttseminit 2,0,6
- ttsemwait 2,4,1
- ttsempost 2
+ ttsempost 2
+ ttsemwait 2,4,1
.thread 1
ttnop
ttnop
ttsemwait 2,2,1
ttsempost 4
