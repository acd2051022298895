# check replay-overwritten
# stands for tt-metal#21056: one library overruns the other's half of the replay buffer
.thread 1
ttreplay 8,4,0,1
ttnop
ttdmanop
ttnop
ttdmanop
ttreplay 8,4,0,0
- ttreplay 10,3,0,1  # other
+ ttreplay 12,3,0,1
ttdmanop
ttnop
ttdmanop
- ttreplay 10,3,0,0
+ ttreplay 12,3,0,0
ttreplay 8,4,0,0  # this
