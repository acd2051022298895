# check src-not-valid
# stands for tt-metal#45142: Src touched before the unpackers gave it
.thread 0
ttzeroacc 3,0,0,1,0
ttseminit 2,0,2
ttunpacr_nop 1,0,0,0,0,0,0,0,1
+ ttunpacr_nop 1,0,0,1,0,0,0,0,2
ttsempost 2
.thread 1
ttsemwait 64,2,1
+ ttstallwait 64,256
ttmovd2b 0,0,0,2,0  # this
