/* published.c - errors that papers have published of their models, to stand beside ours.
 *
 * They were measured on other programs and other GPUs; only their order of size can be compared. */
#include <math.h>

#include <strata/correlate.h>

#define OLD      "004 old"
#define NEW      "004 new"
#define OLD_FROM "paper 004, Table I: GPGPU-Sim 3.x, Volta TITAN V"
#define NEW_FROM "paper 004, Table I: its enhanced memory model, Volta TITAN V"

static const struct strata_published published[] = {
    {OLD, OLD_FROM, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "%", 48, 0.92},
    {OLD, OLD_FROM, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%", 41, 0.89},
    {OLD, OLD_FROM, "lts__t_sectors_srcunit_tex_op_read.sum", "%", 66, 0.49},
    {OLD, OLD_FROM, "lts__t_sectors_srcunit_tex_op_write.sum", "%", 56, 0.99},
    {OLD, OLD_FROM, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "%", 80, 0.68},
    {OLD, OLD_FROM, "dram__sectors_read.sum", "%", 89, 0.60},
    {OLD, OLD_FROM, "sm__cycles_elapsed.max", "%", 68, 0.71},
    {NEW, NEW_FROM, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "%", 0.5, 1.00},
    {NEW, NEW_FROM, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%", 18, 0.93},
    {NEW, NEW_FROM, "lts__t_sectors_srcunit_tex_op_read.sum", "%", 1, 0.94},
    {NEW, NEW_FROM, "lts__t_sectors_srcunit_tex_op_write.sum", "%", 1, 1.00},
    {NEW, NEW_FROM, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "%", 15, 0.81},
    {NEW, NEW_FROM, "dram__sectors_read.sum", "%", 11, 0.95},
    {NEW, NEW_FROM, "sm__cycles_elapsed.max", "%", 27, 0.96},
    {"000 16KB", "paper 000, section 6.1: L1 miss rate of a Fermi with a 16 KB L1",
     "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "points", 6.4, NAN},
    {"000 48KB", "paper 000, section 6.1: the same with a 48 KB L1",
     "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "points", 8.3, NAN},
};

const struct strata_published *strata_published_table(size_t *n)
{
    *n = sizeof published / sizeof published[0];
    return published;
}
