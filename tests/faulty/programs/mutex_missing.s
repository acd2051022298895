# check mutex-missing
# stands for tt-metal#13288: a lock of one's own
.thread 0
- ttatgetm 5  # this
+ ttatgetm 2
