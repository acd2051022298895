# check sfpu-latency
# stands for tt-isa-documentation#SFPSHFT2.md: what SUBVEC_SHFLROR1 makes is read by the very next instruction.
# arch wormhole
.thread 1
ttsetc16 1, 0
ttsetc16 2, 0
ttsetc16 13, 0
ttsetc16 26, 0
ttsetc16 51, 0
ttsetrwc 0,0,0,0,0,15
sfpencc 3, 10
sfpcast L0, L15, 0              # each lane's number, as a float
sfploadi L1, 0, 0
# its sum with its left neighbour's
sfpshft2 L1, L0, 0, 3           # other
+ sfpnop
sfpadd L2, L0, L1, 0            # this
sfpnop
sfpstore L2, 0, 2, 3
