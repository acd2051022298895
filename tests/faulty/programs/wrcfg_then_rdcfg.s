# check wrcfg-needs-nop
# stands for tt-metal#16439: found by putting NOPs in
.thread 0
ttsetdmareg 0,0,0,11
ttsetdmareg 0,5,0,10
ttstallwait 128,1
ttwrcfg 5,0,180  # other
+ ttnop
ttrdcfg 6,180  # this
