# check uninit-lreg
# stands for tt-metal#21056: a register that SFPI thinks is set
.thread 1
+ sfploadi L3,1,0
sfpstore L3,0,0,0  # this
