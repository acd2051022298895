# check mop-count-bits
# stands for tt-isa-documentation MOPExpander (tt-llk#1698): a count that its field does not hold; 128 is 0 there, and the MOP does nothing
.thread 1
ttsetrwc 0, 0, 0, 0, 0, 15
- .mopcfg 0, 128
+ .mopcfg 0, 64
- .mopcfg 1, 1
+ .mopcfg 1, 2
.mopcfg 2, { ttnop }
.mopcfg 3, { ttnop }
.mopcfg 4, { ttnop }
.mopcfg 5, { ttincrwc 0, 4, 0, 0 }
.mopcfg 6, { ttnop }
.mopcfg 7, { ttincrwc 0, 4, 0, 0 }
.mopcfg 8, { ttincrwc 0, 4, 0, 0 }
ttmop 1, 0, 0  # this
