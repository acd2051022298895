# check wrcfg-needs-nop
# stands for tt-metal#16439: found by putting NOPs in
.thread 1
sfploadi L0,1,0
ttsetdmareg 0,0,0,11
ttsetdmareg 0,16,0,10
ttstallwait 128,1
ttwrcfg 5,0,6  # other
+ ttnop
sfpstore L0,0,0,0  # this
