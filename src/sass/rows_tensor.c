#include "sass/rows.h"
ROWS(tensor, {OP(NOP, 0xfff)}, );
