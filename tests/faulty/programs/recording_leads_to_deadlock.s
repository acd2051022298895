# check replay-swallowed
# also deadlock
# stands for tt-isa-documentation#REPLAY.md (Load: the next Count instructions go into the buffer): the count is one too large and takes the SEMPOST behind the recorded words.
.thread 1
ttseminit 1,0,8
ttsetrwc 0,0,0,0,0,15
- ttreplay 0,5,0,1                # other
+ ttreplay 0,4,0,1
ttincrwc 0,8,8,8
ttincrwc 0,8,8,8
ttincrwc 0,8,0,0
ttsetrwc 0,0,0,0,0,3
ttsempost 8                     # this
ttreplay 0,4,0,0
ttreplay 0,4,0,0
.thread 2
ttsemwait 3,8,1                 # math is ready
ttsemget 8
ttsetadczw 4,0,0,0,0,15
ttsetadcxy 4,0,0,0,0,11
