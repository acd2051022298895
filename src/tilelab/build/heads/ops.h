// @CHIP@'s instructions, from its instruction table. For each instruction X:
//   TT_OP_X(…)   its word, a constant if the operands are: for MOP templates
//   TTI_X(…)     issues it from the instruction stream; operands are constants
//   TT_X(…)      issues it by a store; operands may be run-time values
// Operands are those of the vendor's macros, from high bits to low. A constant that does not fit
// its operand's bits does not compile; of a run-time value the low bits are taken.
#pragma once

#include <tilelab/issue.h>
