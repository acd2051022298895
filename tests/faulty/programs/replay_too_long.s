# check replay-not-recorded
# also unknown-opcode
# stands for tt-llk#1690: more slots are played than were recorded
.thread 1
ttreplay 16,3,0,1
ttnop
ttdmanop
ttnop
- ttreplay 16,4,0,0  # this
+ ttreplay 16,3,0,0
