# check sfpu-latency
# stands for tt-metal#14591: Blackhole does not see that SFPIADD reads the register that it adds to
.thread 1
sfpencc 3, 10
sfploadi L1, 16256, 0
sfploadi L2, 16384, 0
sfpmul L3, L1, L2, 0            # other
+ sfpnop
sfpiadd L3, L1, 0, 4            # this
