# check deadlock
# culprit nobody has ever done a post of it
# stands for tt-metal#6875: what does everybody wait for
.thread 1
ttseminit 2,0,2
+ ttsempost 2
ttsemwait 64,2,1
ttcleardvalid 0,0
