# check src-bank-turning
# stands for tt-metal#53822: the wait for a bank looks at the one before
.thread 0
ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
.thread 1
ttstallwait 64,384
ttelwmul 3,0,0,0,0  # other
- ttstallwait 64,128
+ ttstallwait 64,144
ttmovd2a 0,0,0,2,0  # this
ttstallwait 64,384
ttsetrwc 3,0,0,0,0,0
