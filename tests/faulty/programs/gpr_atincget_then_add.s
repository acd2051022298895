# check race-gpr
# stands for tt-llk#1661: a word of the scalar unit takes what the one before it fetches from L1
.thread 0
ttsetdmareg 0,256,0,8
ttsetdmareg 0,0,0,9
ttsetdmareg 0,3,0,12
ttsetdmareg 0,0,0,13
ttstallwait 32,1
ttstoreind 1,0,1,0,0,6,4
ttstallwait 32,1
ttatincget 0,31,0,6,4  # other
+ ttstallwait 32,1
ttadddmareg 1,7,5,6  # this
ttstallwait 32,1
