# check race-gpr
# stands for tt-llk#1658: configuration written from a GPR that the scalar unit still computes
.thread 0
ttsetdmareg 0,256,0,8
ttstallwait 32,1
ttstoreind 1,0,1,0,0,8,4
ttstallwait 32,1
ttshiftdmareg 0,0,10,4,4  # other
+ ttstallwait 128,1
ttwrcfg 10,0,180  # this
ttnop
