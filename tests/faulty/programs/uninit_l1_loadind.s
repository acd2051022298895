# check uninit-l1
# stands for tt-metal#42088: data read before anybody wrote it
.thread 0
ttsetdmareg 0,256,0,8
ttstallwait 32,1
+ ttstoreind 1,0,1,0,0,8,4
+ ttstallwait 32,1
ttloadind 0,2,0,10,4  # this
