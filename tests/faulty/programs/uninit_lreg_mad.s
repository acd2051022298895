# check uninit-lreg
# stands for tt-metal#21056: a register that SFPI thinks is set
.thread 1
sfploadi L0,1,0
+ sfploadi L2,1,0
sfpmad L1,L0,L2,L9,0  # this
