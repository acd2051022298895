# check race-l1
# stands for tt-llk#1378: two threads add to a word of L1, and one of them without the mutex
.thread 0
ttsetdmareg 0, 0, 0, 0
ttsetdmareg 0, 0, 0, 1
ttsetdmareg 0, 3072, 0, 2
ttsetdmareg 0, 0, 0, 3
ttsetdmareg 0, 0, 0, 4
ttsetdmareg 0, 0, 0, 5
ttstallwait 32, 1
ttstoreind 1, 0, 1, 0, 0, 2, 1
ttseminit 1, 0, 8
ttstallwait 2, 1
ttsempost 8
ttatgetm 2
ttloadind 1, 0, 0, 4, 1
ttstallwait 32, 1
ttadddmareg 1, 4, 1, 4
ttstallwait 32, 1
ttstoreind 1, 0, 1, 0, 0, 4, 1  # other
ttstallwait 2, 1
ttatrelm 2
.thread 2
ttsetdmareg 0, 0, 0, 16
ttsetdmareg 0, 0, 0, 17
ttsetdmareg 0, 3072, 0, 18
ttsetdmareg 0, 0, 0, 19
ttsemwait 511, 8, 1
ttsemget 8
+ ttatgetm 2
ttloadind 1, 16, 0, 10, 9
ttstallwait 32, 1
ttadddmareg 1, 10, 1, 10
ttstallwait 32, 1
ttstoreind 1, 0, 1, 16, 0, 10, 9  # this
+ ttstallwait 2, 1
+ ttatrelm 2
