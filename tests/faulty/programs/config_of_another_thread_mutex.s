# check config-not-ready
# stands for tt-metal#46758: state that another operation set
.thread 0
+ ttatgetm 0
ttrmwcib0 255,3,181  # other
+ ttatrelm 0
.thread 2
ttnop
ttnop
ttnop
ttnop
+ ttatgetm 0
ttrdcfg 6,181  # this
+ ttatrelm 0
