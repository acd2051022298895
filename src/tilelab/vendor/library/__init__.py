"""The drop-in ``libttsim.so``: a native shim, and the process with the chip behind it."""
