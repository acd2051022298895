/* C = A B by 16 x 16 blocks, double-buffered: while one step multiplies, the next one's blocks
 * arrive in share memory by Tensor Async Copy.
 *
 * The blocks of A lie row after row of blocks, those of B column after column, so that the K loop
 * walks both by one block (1024 B, one tile register) a step. tr0 accumulates; buffer 0 is share
 * memory at 0 and tr1, tr2, buffer 1 at 2048 and tr3, tr4. The copies of a buffer signal mbarrier 0
 * or 1. Codes and the mbarrier's wait are the overlay's (machine.toml).
 *
 * start(arguments) gets its argument in a0. */
#include "tilext.h"

#ifndef MMAUOP
#define MMAUOP TILEXT_MMAUOP_INT8
#endif
#ifndef STEP /* bytes of a block of A or B, where it does not fill a register */
#define STEP 1024
#endif

struct arguments { unsigned long a, b, c, rows, columns, depth; };

#define GLOBAL_TO_SHARE 1
#define SIGNAL_MBARRIER 1
#define COPY(dst, src, buffer) \
  TILEXT_TMA_COPY(0, TILEXT_FUNC6_VECTOR_STORE_E32, 1, 0, 1, 0, 0, dst, src, GLOBAL_TO_SHARE, 0, \
                  buffer, 0, 0, SIGNAL_MBARRIER)
#define FETCH(buffer, step) \
  COPY(buffer * 2048ul, a + (step) * STEP, buffer); \
  COPY(buffer * 2048ul + 1024, b + (step) * STEP, buffer)
#define LOAD(buffer) \
  TILEXT_MBAR_WAIT(buffer); /* wait: copies of this buffer */ \
  TILEXT_TSLD_UNIT(1 + 2 * buffer, 1, buffer * 2048ul, 0, 0); \
  TILEXT_TSLD_UNIT(2 + 2 * buffer, 1, buffer * 2048ul + 1024, 0, 0); \
  TILEXT_T_WAIT_MEM(1, 0, 0, 0, 1) /* wait: share loads */
#define MULTIPLY(buffer) \
  TILEXT_MMA_TT(0, 1 + 2 * buffer, 0, 0, 0, 0, 2 + 2 * buffer, MMAUOP, 1, 0, 0, 0, 0)

void start(const struct arguments *given) {
  for (unsigned long row = 0; row < given->rows; row++)
    for (unsigned long column = 0; column < given->columns; column++) {
      const unsigned long a = given->a + row * given->depth * STEP;
      const unsigned long b = given->b + column * given->depth * STEP;
      TILEXT_TMV_T_X(0, TILEXT_FUNC6_GRF_STORE_U32, 1, 0, 0);
      FETCH(0, 0ul);
      for (unsigned long step = 0; step < given->depth; step += 2) {
        FETCH(1, step + 1);
        LOAD(0);
        MULTIPLY(0);
        if (step + 2 < given->depth) { FETCH(0, step + 2); }
        LOAD(1);
        TILEXT_T_WAIT_MMA(); /* wait: tr0 of buffer 0 */
        MULTIPLY(1);
        TILEXT_T_WAIT_MMA(); /* wait: tr0 of buffer 1 */
      }
      const unsigned long c = given->c + (row * given->columns + column) * 1024;
      TILEXT_TGST_UNIT(0, 1, c, 0, 0);
      TILEXT_T_WAIT_MEM(0, 0, 0, 1, 0); /* wait: the store */
    }
}
