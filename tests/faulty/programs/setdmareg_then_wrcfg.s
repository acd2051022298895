# check setdmareg-overtaken
# stands for tt-isa-documentation#58: WRCFG goes ahead of the SETDMAREG whose result it writes
.thread 0
ttsetdmareg 0,0,0,9
ttsetdmareg 0,256,0,8  # other
+ ttstallwait 128,1
ttwrcfg 4,0,180  # this
ttnop
