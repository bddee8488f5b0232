/* rows_async.c - Hopper's asynchronous copies: what the decoder knows of them so far. */
#include "sass/rows.h"

#define UADDRESS(a)                                                                                \
    {                                                                                              \
        .kind = SLOT_MEM_U, .ureg = a                                                              \
    }

ROWS(async,
     {OP1(UBLKCP, 0x3ba), WHEN(IS(74, 1, 1)), MODS(ALWAYS(MODE, W(G)), ALWAYS(OPTION1, W(S))),
      SLOTS(UADDRESS(32), UADDRESS(24), UR(64))},
     {OP(UTMACMDFLUSH, 0x9b7)}, );
