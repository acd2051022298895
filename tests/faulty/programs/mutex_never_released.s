# check deadlock
# culprit T0 never releases mutex 0
# stands for tt-metal#13288: a lock that is not given back
.thread 0
ttatgetm 0
+ ttatrelm 0
.thread 1
ttnop
ttnop
ttnop
ttatgetm 0
