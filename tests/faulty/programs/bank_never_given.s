# check deadlock
# culprit no unpack to SrcB (UNPACR or UNPACR_NOP with set-dvalid) is left to come
# stands for tt-metal#21373: one unpacker hung, math ran ahead
.thread 0
ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,0,0,0,1
+ ttunpacr_nop 1,0,0,1,0,0,0,0,1
.thread 1
ttmvmul 0,0,0,0
