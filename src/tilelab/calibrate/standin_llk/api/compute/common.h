// matmul_fidelity.cpp includes it before matmul.h, which has everything.
#pragma once
