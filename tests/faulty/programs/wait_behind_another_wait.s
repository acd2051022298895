# check wait-forgotten
# stands for tt-llk#1692: waits within the stream, of which the first one lets the second one pass
# arch wormhole
.thread 0
ttnop
ttnop
ttnop
ttseminit 3,0,4
ttsempost 4
.thread 1
ttseminit 3,0,8
ttsempost 8
.thread 2
- ttsemwait 256,4,1  # other
+ ttsemwait 258,4,1
ttsemwait 258,8,1  # this
ttsetdmareg 0,1,0,8
ttsemget 12
