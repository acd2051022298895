# check uninit-dst
# stands for tt-metal#12923: a value that nothing determines
.thread 1
+ ttzeroacc 3,0,0,1,0
sfpload L0,0,0,0  # this
