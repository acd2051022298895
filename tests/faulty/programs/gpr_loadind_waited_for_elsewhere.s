# check race-gpr
# stands for tt-llk#1661: the STALLWAIT behind a load holds up another unit than the one that uses it
.thread 0
ttsetdmareg 0,256,0,8
ttsetdmareg 0,0,0,9
ttsetdmareg 0,0,0,10
ttsetdmareg 0,0,0,11
ttsetdmareg 0,9,0,12
ttsetdmareg 0,0,0,13
ttstallwait 32,1
ttstoreind 1,0,1,10,0,6,4
ttstallwait 32,1
ttloadind 1,10,1,7,4  # other
- ttstallwait 128,1
+ ttstallwait 160,1
ttadddmareg 1,9,5,7  # this
ttstallwait 128,1
ttwrcfg 9,0,180
ttnop
