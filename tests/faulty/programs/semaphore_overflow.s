# check semaphore-overflow
# stands for tt-metal#16439: UNPACK_SYNC has an impossible value
.thread 1
ttseminit 2,0,2
ttsemwait 2,2,2
ttsempost 2
ttsempost 2  # other
+ ttsemget 2
ttsempost 2  # this
