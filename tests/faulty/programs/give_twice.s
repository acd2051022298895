# check srca-already-valid
# stands for tt-llk#1378: a bank is given twice
.thread 0
ttunpacr_nop 0,0,0,1,0,0,0,0,2
ttunpacr_nop 0,0,0,1,0,0,0,0,2
- ttunpacr_nop 0,0,0,1,0,0,0,0,2  # this
