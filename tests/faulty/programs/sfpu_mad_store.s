# check sfpu-latency
# stands for tt-llk#1658: a result of two cycles is used in the next one (Wormhole)
# arch wormhole
.thread 1
sfploadi L0,16384,0
sfploadi L1,16384,0
sfploadi L2,16256,0
sfpmad L2,L0,L1,L9,0  # other
+ sfpnop
sfpstore L2,0,0,0  # this
