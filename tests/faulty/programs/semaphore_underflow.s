# check semaphore-underflow
# stands for tt-llk PR#181: a SEMGET at 0 is silently ignored
.thread 1
ttseminit 2,1,2
ttsemget 2  # other
+ ttsempost 2
ttsemget 2  # this
