# check sfpu-port
# stands for tt-isa-documentation#SFPSHFT2.md: what writes at once follows a shuffle, though of other registers
# arch wormhole
.thread 1
sfpencc 3, 10
sfpcast L0, L15, 0
sfploadi L2, 16256, 0
sfpshft2 L1, L0, 0, 3           # other
+ sfpnop
sfpsetsgn L2, L0, 1, 1          # this
