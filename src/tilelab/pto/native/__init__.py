"""PTO kernels in C++: compiled for this computer, run as core programs of the Python engine."""
