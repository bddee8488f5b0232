#include "sass/rows.h"
ROWS(async, {OP(NOP, 0xfff)}, );
