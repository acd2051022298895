# check deadlock
# culprit no math instruction that clears SrcB
# stands for tt-metal#52720: math took two banks each time and gave only SrcA's back, and the unpackers waited for ever
.thread 0
ttunpacr_nop 0, 0, 0, 1, 0, 0, 0, 0, 1
ttunpacr_nop 1, 0, 0, 1, 0, 0, 0, 0, 1
ttunpacr_nop 0, 0, 0, 1, 0, 0, 0, 0, 1
ttunpacr_nop 1, 0, 0, 1, 0, 0, 0, 0, 1
ttunpacr_nop 0, 0, 0, 1, 0, 0, 0, 0, 1
ttunpacr_nop 1, 0, 0, 1, 0, 0, 0, 0, 1
.thread 1
ttsetrwc 0, 0, 0, 0, 0, 15
.mopcfg 0, 3
.mopcfg 1, 1
.mopcfg 2, { ttnop }
- .mopcfg 3, { ttsetrwc 1, 0, 0, 0, 0, 4 }
+ .mopcfg 3, { ttsetrwc 3, 0, 0, 0, 0, 4 }
.mopcfg 4, { ttnop }
.mopcfg 5, { ttelwadd 0, 0, 0, 0, 0 }
.mopcfg 6, { ttnop }
.mopcfg 7, { ttelwadd 0, 0, 0, 0, 0 }
.mopcfg 8, { ttelwadd 0, 0, 0, 0, 0 }
ttmop 1, 0, 0
