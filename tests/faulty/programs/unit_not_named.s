# check adc-no-unit
# stands for ttsim#2: refused without an explanation
.thread 0
- ttsetadcxx 0,15,0  # this
+ ttsetadcxx 1,15,0
