#include "sass/rows.h"
ROWS(texture, {OP(NOP, 0xfff)}, );
