# check mop-mask-stale
# stands for tt-metal#19201: a hang bisected to what an unpack MOP contains
.thread 1
.mopcfg 1, 0
.mopcfg 3, { ttnop }
.mopcfg 7, { ttdmanop }
ttmopcfg 1
ttmop 0,16,0  # other
+ ttmopcfg 0
ttmop 0,16,0  # this
