# check uninit-gpr
# stands for tt-llk#802: of a register that goes to the configuration only one half had been set; the other one was what others had left there (here of the address to pack to)
# arch wormhole
.thread 2
ttsetdmareg 0, 5, 0, 80      # GPR 40, low half
+ ttsetdmareg 0, 0, 0, 81
ttstallwait 128, 1           # it is there
ttwrcfg 40, 0, 57  # this
ttnop
