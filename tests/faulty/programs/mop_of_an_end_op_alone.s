# check mop-outer-count-bug
# stands for tt-isa-documentation#MOPExpander.md: an outer loop of one, no inner loop and only an end op make 129 times the end op.
# arch wormhole
.thread 1
ttsetrwc 0,0,0,0,0,15
.mopcfg 0, 1
- .mopcfg 1, 0
+ .mopcfg 1, 1
.mopcfg 2, { ttnop }
- .mopcfg 3, { ttincrwc 0,8,0,0 }
+ .mopcfg 3, { ttnop }
.mopcfg 4, { ttnop }
- .mopcfg 5, { ttnop }
+ .mopcfg 5, { ttincrwc 0,8,0,0 }
.mopcfg 6, { ttnop }
- .mopcfg 7, { ttnop }
- .mopcfg 8, { ttnop }
+ .mopcfg 7, { ttincrwc 0,8,0,0 }
+ .mopcfg 8, { ttincrwc 0,8,0,0 }
ttmop 1,0,0                     # this
