# check deadlock
# stands for tt-metal#36395: a livelock guessed from stacks
# culprit take the same mutexes in different orders
.thread 0
ttatgetm 2
ttnop
ttnop
- ttatgetm 3
- ttatrelm 3
ttatrelm 2
+ ttatgetm 3
+ ttatrelm 3
.thread 1
ttatgetm 3
ttnop
ttnop
ttatgetm 2
ttatrelm 2
ttatrelm 3
