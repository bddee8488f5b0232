/* registers.h - which registers an instruction reads and writes, and which are live where. */
#ifndef STRATA_SASS_REGISTERS_H
#define STRATA_SASS_REGISTERS_H

#include "sass/inst.h"

/* How many registers of 32 bits operand n stands for, from its `reg` on; 0: it names none. For a
 * memory operand, those of its address. */
uint32_t sass_operand_registers(const struct sass_inst *i, uint32_t n);

/* For each of n instructions that follow each other from address 0 on, the number of registers in
 * use: those that it or a later one reads, and those it writes. Branches through registers are
 * taken to go to every label. False: no memory. */
bool sass_live_registers(const struct sass_inst *code, size_t n, uint16_t *live);

#endif
