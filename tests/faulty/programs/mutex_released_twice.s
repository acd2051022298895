# check mutex-not-held
# stands for tt-metal#53504: a mutex is released again where another one is meant
.thread 0
ttatgetm 2
ttatgetm 3
ttatrelm 3
- ttatrelm 3  # this
+ ttatrelm 2
- ttatrelm 2
