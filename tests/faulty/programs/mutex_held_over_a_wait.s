# check deadlock
# culprit T0 waits at mutex_held_over_a_wait.s:8 while it holds mutex 2, for the wait of mutex_held_over_a_wait.s:7
# stands for tt-metal#53504: a thread waits for a post with the mutex that the other needs first
.thread 0
ttseminit 1,0,8
ttatgetm 2
+ ttatrelm 2
ttsemwait 130,8,1
ttsemget 8
- ttatrelm 2
.thread 1
ttnop
ttnop
ttnop
ttnop
ttatgetm 2
ttatrelm 2
ttsempost 8
