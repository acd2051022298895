# check replay-not-recorded
# also unknown-opcode
# stands for tt-llk#1643: slots played that an init should have recorded
.thread 1
ttreplay 0,2,0,1
ttnop
ttdmanop
- ttreplay 1,2,0,0  # this
+ ttreplay 0,2,0,0
