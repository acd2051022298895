# check wrong-thread
# stands for tt-metal PR#45142: the wrong TRISC does it
.thread 0
ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
- .thread 2
+ .thread 1
ttelwadd 3,0,0,0,0  # this
