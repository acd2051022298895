# check deadlock
# stands for tt-metal#16439: a semaphore that nobody has initialised is at its maximum
# culprit semaphore 1 (MATH_PACK) has a maximum of 0
.thread 1
+ ttseminit 2,0,2
ttsemwait 64,2,2
ttcleardvalid 0,0
