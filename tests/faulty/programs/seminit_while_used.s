# check race-semaphore
# stands for tt-metal#16439: a semaphore is initialised while another thread uses it
.thread 0
- ttnop
+ ttnop
- ttsempost 4  # this
+ ttsempost 8
.thread 1
ttseminit 2,0,4  # other
