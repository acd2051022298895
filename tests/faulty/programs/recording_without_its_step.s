# check dst-stored-over
# stands for tt-llk#1690: the recording ends before the word that steps to the next rows, so that each play stores to the same ones
.thread 1
sfpencc 3, 10
ttsetrwc 0, 0, 0, 0, 0, 15
sfploadi L0, 16256, 0
- ttreplay 4, 2, 0, 1  # other
+ ttreplay 4, 3, 0, 1
sfpadd L0, L0, L10, 0
sfpstore L0, 0, 2, 0
ttincrwc 0, 2, 0, 0
- ttreplay 4, 2, 0, 0
- ttreplay 4, 2, 0, 0
- ttreplay 4, 2, 0, 0  # this
- ttreplay 4, 2, 0, 0
+ ttreplay 4, 3, 0, 0
+ ttreplay 4, 3, 0, 0
+ ttreplay 4, 3, 0, 0
+ ttreplay 4, 3, 0, 0
