/* keyfix.h - a kernel that does a bit of everything, machines on which every mechanism is at work
 * in one of them, and the models to run on them: what the tests that walk all keys share. */
#ifndef STRATA_TEST_KEYFIX_H
#define STRATA_TEST_KEYFIX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <strata/generate.h>
#include <strata/gpu.h>
#include <strata/result.h>
#include <strata/trace.h>

/* ---- a kernel that does a bit of everything ---- */

enum { BLOCKS = 20, WARPS = 3, ROUNDS = 2 };

static uint32_t random_state;
static uint32_t next_random(void)
{
    return random_state = random_state * 1664525u + 1013904223u;
}

/* One address for each lane, anywhere in `span` bytes. */
static void scattered(FILE *f, uint64_t base, uint32_t span)
{
    fprintf(f, "4 0");
    for (int lane = 0; lane < 32; lane++)
        fprintf(f, " 0x%llx", (unsigned long long)(base + next_random() % span / 4 * 4));
    fprintf(f, "\n");
}

static const char *const plain[] = {"1 R1 LDC 0 0",
                                    "1 R1 IADD3 1 R1 0",
                                    "1 R4 S2R 0 0",
                                    "1 R4 S2UR 0 0",
                                    "1 R4 UIADD3 1 R4 0",
                                    "1 R5 IADD3 2 R4 R255 0",
                                    "1 R5 IADD3 2 R5 R255 0",
                                    "1 R6 IMAD 2 R5 R5 0",
                                    "1 R6 IMAD 2 R6 R5 0",
                                    "1 R6 IMAD.WIDE 2 R6 R5 0",
                                    "1 R9 IADD3 1 R6 0",
                                    "1 R7 FFMA 2 R6 R6 0",
                                    "1 R7 FFMA 2 R7 R6 0",
                                    "1 R8 DFMA 2 R6 R6 0",
                                    "1 R8 DFMA 2 R8 R8 0",
                                    "1 R10 HFMA2 2 R7 R7 0",
                                    "1 R10 HFMA2 2 R10 R10 0",
                                    "1 R11 MUFU.RCP 1 R10 0",
                                    "1 R11 MUFU.RCP 1 R11 0",
                                    "1 R12 F2I 1 R11 0",
                                    "1 R12 I2F 1 R12 0",
                                    "1 R16 HMMA.16816.F32 3 R12 R12 R12 0",
                                    "1 R16 HMMA.16816.F32 3 R16 R16 R16 0",
                                    "1 R16 IMMA.16832.S8.S8 3 R16 R16 R16 0",
                                    "1 R16 IMMA.16832.S8.S8 3 R16 R16 R16 0",
                                    "1 R16 DMMA.8x8x4 3 R16 R16 R16 0",
                                    "1 R16 DMMA.8x8x4 3 R16 R16 R16 0",
                                    "1 R20 SHFL.IDX 1 R12 0",
                                    "1 R20 SHFL.IDX 1 R20 0",
                                    "1 R21 VOTE.ANY 1 R20 0",
                                    "1 R21 VOTE.ANY 1 R21 0",
                                    "1 R21 REDUX.SUM 1 R21 0",
                                    "1 R21 REDUX.SUM 1 R21 0",
                                    "1 R21 MATCH.ANY 1 R21 0",
                                    "1 R21 MATCH.ANY 1 R21 0",
                                    "0 ISETP.GE.AND 1 R21 0",
                                    "0 BREAK 0 0",
                                    "0 BREAK 0 0",
                                    "0 BSYNC 0 0",
                                    "0 RET.REL.NODEC 1 R21 0",
                                    "0 BRA 0 0"};

#define LINE(...) (fprintf(f, "%04x ffffffff ", pc), fprintf(f, __VA_ARGS__), pc += 16, n++)

static unsigned one_round(FILE *f, unsigned block, unsigned warp, unsigned round)
{
    unsigned pc = 0, n = 0, w = block * WARPS + warp;
    uint64_t a = 0x7f1000000000, stream = a + ((uint64_t)round * BLOCKS * WARPS + w) * 512,
             table = a + (64 << 20);
    for (unsigned i = 0; i < sizeof plain / sizeof plain[0]; i++)
        LINE("%s\n", plain[i]);
    pc = 0x1000 + round % 2 * 0x1000; /* a jump to code that may not be there */
    LINE("1 R37 LDC 1 R4 "), scattered(f, 0, 256);
    LINE("1 R37 LDC 1 R37 "), scattered(f, 0, 256);
    LINE("1 R36 ULDC 1 R4 4 1 0x%x 0\n", 4096 + (round + warp) % 3 * 64);
    LINE("1 R24 LDG.E.128 1 R2 16 1 0x%llx 16\n", (unsigned long long)stream);
    LINE("0 STG.E 2 R2 R4 4 1 0x%llx 16\n", (unsigned long long)stream); /* while it is fetched */
    LINE("1 R38 LDG.E 1 R2 4 1 0x%llx 16\n", (unsigned long long)stream + 4);
    LINE("1 R28 LDG.E 1 R24 "), scattered(f, table, 1 << 16);
    LINE("1 R29 LDG.E 1 R28 "), scattered(f, table + (1 << 20), 8 << 20);
    LINE("1 R30 LDG.E 1 R29 4 1 0x%llx 8192\n",
         (unsigned long long)(table + (32 << 20) + block % 4 * 128));
    LINE("1 R31 LDG.E 1 R30 4 1 0x%llx 0\n",
         (unsigned long long)(table + round * 4096)); /* all SMs the same */
    LINE("1 R31 LDG.E 1 R31 4 1 0x%llx 0\n",          /* a line of which SMs want different parts */
         (unsigned long long)(table + round * 4096 + 2048 + block / 3 % 2 * 32));
    LINE("0 STG.E 2 R2 R31 4 1 0x%llx 0\n",
         (unsigned long long)(table + round * 4096 + 32)); /* another sector of that line */
    LINE("0 STG.E 2 R2 R31 4 1 0x%llx 4\n", (unsigned long long)(stream + (128 << 20)));
    LINE("0 STG.E 2 R2 R31 4 1 0x%llx 64\n",
         (unsigned long long)(stream * 4 % (1 << 20) + a + (160 << 20)));
    LINE("0 STG.E.U8 2 R2 R31 1 1 0x%llx 64\n", /* bytes of these words, lines of which may wait */
         (unsigned long long)(stream * 4 % (1 << 20) + a + (160 << 20)));
    LINE("1 R32 LDG.E 1 R2 4 1 0x%llx 64\n",
         (unsigned long long)(stream * 4 % (1 << 20) + a + (160 << 20)));
    for (int k = 0; k < 3; k++) /* a line that is loaded, loaded around the L1 and loaded again */
        LINE("1 R32 LDG.E%s 1 R2 4 1 0x%llx 4\n", k == 1 ? ".STRONG.GPU" : "",
             (unsigned long long)(stream + (208 << 20)));
    LINE("0 STG.E.U8 2 R2 R31 1 1 0x%llx 4\n", /* a byte of a word that is not there, and read */
         (unsigned long long)(stream + (240 << 20)));
    LINE("1 R39 LDG.E.U8 1 R2 1 1 0x%llx 4\n", (unsigned long long)(stream + (240 << 20)));
    LINE("0 STS 2 R3 R32 4 1 0x%x 4\n", warp * 128);
    LINE("1 R33 LDS 1 R3 4 1 0x0 %u\n", round % 2 ? 8 : 128);
    LINE("0 BAR.SYNC 0 0\n");
    LINE("1 R38 LDG.E.U8 1 R2 1 1 0x%llx 1\n", /* a line by the warps of a block, a sector each */
         (unsigned long long)(a + (48 << 20) + (round * BLOCKS + block) * 128 + warp * 32));
    LINE("1 R34 ATOMG.E.ADD 2 R2 R33 4 1 0x%llx 4\n",
         (unsigned long long)(a + (192 << 20) + round % 2 * 64));
    LINE("1 R39 LDG.E.STRONG.GPU 1 R2 4 1 0x%llx 4\n", /* warps 0: what others add to */
         (unsigned long long)(a + (192 << 20) + round % 2 * 64 - (warp ? 1 << 20 : 0)));
    LINE("0 RED.E.ADD.F32.FTZ.RN 2 R2 R34 4 1 0x%llx 0\n",
         (unsigned long long)(a + (192 << 20) + block % 2 * 32));
    LINE("0 STL 2 R1 R34 4 1 0x%x 0\n", round * 4);
    LINE("1 R35 LDL 1 R1 4 1 0x%x 0\n", round * 4);
    LINE("1 R36 TEX 1 R2 "), scattered(f, table, 1 << 14);
    LINE("1 R36 TLD.LZ 1 R36 4 1 0x%llx 4\n", (unsigned long long)(table + warp * 128));
    LINE("1 R36 LDG.E.CONSTANT 1 R36 "), scattered(f, table, 1 << 14);
    LINE("1 R36 IADD3 1 R36 0\n");
    LINE("0 LDGSTS.E.BYPASS.128 2 R3 R2 16 1 0x%llx 16\n",
         (unsigned long long)(stream + (224 << 20)));
    LINE("0 LDGDEPBAR 0 0\n");
    LINE("0 DEPBAR.LE 0 0\n");
    LINE("0 MEMBAR.SC.GPU 0 0\n");
    return n;
}

static void write_warp(FILE *f, unsigned block, unsigned warp)
{
    char *text;
    size_t size;
    unsigned n = 1;
    FILE *body = open_memstream(&text, &size);
    for (unsigned round = 0; round < ROUNDS; round++)
        n += one_round(body, block, warp, round);
    fclose(body);
    fprintf(f, "warp = %u\ninsts = %u\n%s%x ffffffff 0 EXIT 0 0\n\n", warp, n, text,
            0x4000 + warp * 0x800); /* jumps to code that nobody has run */
    free(text);
}

static char folder[64];

static void write_file(const char *name, void (*write)(FILE *f))
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    write(f);
    fclose(f);
}

static void write_list(FILE *f)
{
    fprintf(f, "MemcpyHtoD,0x00007f1000000000,65536\nkernel-1.traceg\n");
}

static void write_kernel(FILE *f)
{
    random_state = 1;
    fprintf(f,
            "-kernel name = all\n-kernel id = 1\n-grid dim = (%d,1,1)\n-block dim = "
            "(%d,1,1)\n-shmem = 2100\n-nregs = 39\n"
            "-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007e0000000000\n"
            "-local mem base_addr = 0x00007d0000000000\n-nvbit version = 1.7.7.1\n-accelsim tracer "
            "version = 5\n\n"
            "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
            "[adrrescompress?] "
            "[mem_addresses]\n\n",
            BLOCKS, WARPS * 32);
    for (unsigned b = 0; b < BLOCKS; b++) {
        fprintf(f, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", b);
        for (unsigned w = 0; w < WARPS; w++)
            write_warp(f, b, w);
        fprintf(f, "#END_TB\n\n");
    }
}

/* ---- machines on which every mechanism is at work in one of them ---- */

static const char *const modern[] = {"xbar.host_store=3",
                                     "sm_version=90",
                                     "sm.count=6",
                                     "sm.clock=1700",
                                     "sm.tensor_clock=1500",
                                     "sm.tensor_clock_sms=2",
                                     "sm.wgmma_queue=1",
                                     "sm.wgmma_hold=1",
                                     "sm.wgmma_spread=0.5",
                                     "sm.max_warps=16",
                                     "sm.max_blocks=3",
                                     "sm.max_threads=512",
                                     "sm.registers=16384",
                                     "sm.fetch_interval=9",
                                     "sm.const_fetch=64",
                                     "sm.const_cache=192",
                                     "sm.const_cache_line=32",
                                     "sm.const_cache_ways=2",
                                     "sm.const_uniform=64",
                                     "sm.latency.const_uniform_miss=21",
                                     "sm.latency.const_own=17",
                                     "sm.latency.const_miss=30",
                                     "sm.latency.const_cold=100",
                                     "sm.fetch_miss=33",
                                     "sm.fetch_cold=55",
                                     "sm.fetch_near=1KiB",
                                     "sm.fetch_middle=2KiB",
                                     "sm.fetch_prefetch=20KiB",
                                     "sm.fetch_first=77",
                                     "sm.fetch_early=44",
                                     "sm.fetch_early_line=4",
                                     "sm.fetch_far=70",
                                     "sm.fetch_middle_jump=21",
                                     "sm.fetch_early_next=31",
                                     "sm.fetch_ways=4",
                                     "sm.barrier_warp=1.5",
                                     "sm.lsu_queue=24",
                                     "launch.gpcs=2",
                                     "launch.order=3, 4, 5, 0, 1, 2",
                                     "launch.singles=1",
                                     "launch.gpc_of_sm=0, 0, 0, 1, 1, 1",
                                     "launch.start=100",
                                     "launch.drain=50",
                                     "launch.block_replace=40",
                                     "launch.dram_sectors=8",
                                     "launch.code_readers=3",
                                     "launch.reader_sectors=5",
                                     "launch.front_sectors=7",
                                     "launch.background_every=2",
                                     "launch.background_dram_reads=3",
                                     "launch.background_dram_writes=5",
                                     "launch.background_l2_reads=7",
                                     "launch.background_l2_writes=9",
                                     "launch.blocks_per_cycle=0.05",
                                     "launch.first_block=3",
                                     "launch.first_warp=2",
                                     "launch.next_warp=1",
                                     "launch.schedulers_apart=40",
                                     "shared.per_sm=12KiB",
                                     "shared.per_block=8KiB",
                                     "shared.per_block_optin=8KiB",
                                     "l1.size=16KiB",
                                     "l1.line=128",
                                     "l1.sector=32",
                                     "l1.ways=0",
                                     "l1.tag_sets=16",
                                     "l1.tag_ways=4",
                                     "l1.tag_hash=3, 5, 9",
                                     "l1.unified=20KiB",
                                     "l1.carveouts=0KiB, 4KiB, 8KiB, 12KiB",
                                     "l1.inflight_counts_as_hit=true",
                                     "l1.reserved_lines=8",
                                     "l1.miss_requests_per_cycle=1",
                                     "l1.miss_join=4000",
                                     "l1.miss_queue=8",
                                     "l1.store_narrow=2",
                                     "l1.store_keeps_words=true",
                                     "l1.store_buffer=4",
                                     "l1.store_leaving=8",
                                     "l1.store_idle=8",
                                     "l1.store_wait=60",
                                     "l1.store_drain=3",
                                     "l1.tags_per_cycle=4",
                                     "l1.texture_read=8",
                                     "l1.texture_line=4",
                                     "l1.texture_pitched_sectors=1",
                                     "l1.texture_hit=120",
                                     "l1.texture_line_hit=90",
                                     "l1.texture_filter=7",
                                     "l1.texture_filter_bytes=4",
                                     "xbar.coalescer_window=300",
                                     "xbar.coalescer_return=60",
                                     "xbar.coalescer_lines=64",
                                     "xbar.coalescer_bulk_lines=32",
                                     "xbar.coalescer_requests=3",
                                     "xbar.coalescer_one_part=true",
                                     "xbar.coalescer_side=true",
                                     "xbar.request_bytes_per_cycle=24",
                                     "xbar.response_bytes_per_cycle=24",
                                     "xbar.total_bytes_per_cycle=60",
                                     "texture.size=4KiB",
                                     "texture.line=128",
                                     "texture.ways=4",
                                     "readonly.size=4KiB",
                                     "readonly.line=128",
                                     "readonly.ways=4",
                                     "l2.slices=4",
                                     "l2.partitions=2",
                                     "l2.size=128KiB",
                                     "l2.write_miss=lazy-fetch-on-read",
                                     "l2.channel_hash=xor",
                                     "l2.slice_pair=1KiB",
                                     "l2.fetch=64",
                                     "l2.far_extra=90",
                                     "l2.fabric_bytes_per_cycle=40",
                                     "l2.request=1.5",
                                     "l2.partial_write=0.7",
                                     "l2.write_flit=9",
                                     "l2.overtaken=30",
                                     "l2.overtaken_sector=5",
                                     "l2.clean_hold=8",
                                     "l2.atomic_whole=4",
                                     "l2.copies_void=true",
                                     "l2.atomic=1.5",
                                     "l2.home=4KiB",
                                     "l2.partition_of_gpc=0, 1",
                                     "l2.dirty=32KiB",
                                     "l2.dirty_dealt=4",
                                     "l2.dirty_at_start=16KiB",
                                     "l2.partial_ways=4",
                                     "l2.partial_ways_hit=3",
                                     "l2.clean_wait=50",
                                     "dram.channels=2",
                                     "dram.write_row=2",
                                     "dram.clock=900",
                                     "dram.row_miss=44",
                                     "dram.tRFC=100",
                                     "dram.tREFI=900",
                                     "dram.tFAW=30",
                                     "dram.tCCDL=9",
                                     NULL};
/* Unsectored, with MSHRs, write queues and TLBs. */
static const char *const classic[] = {"sm_version=61",
                                      "sm.count=4",
                                      "sm.clock=1400",
                                      "sm.max_warps=16",
                                      "sm.max_blocks=3",
                                      "sm.max_threads=512",
                                      "sm.scheduler_policy=gto",
                                      "sm.issue_per_scheduler=2",
                                      "coalesce.rule=fermi",
                                      "launch.block_interval=30",
                                      "l1.size=8KiB",
                                      "l1.line=128",
                                      "l1.sector=128",
                                      "l1.ways=4",
                                      "l1.index=xor",
                                      "l1.mshrs=12",
                                      "l1.mshr_merges=2",
                                      "l1.mshrs_per_warp=6",
                                      "xbar.latency=30",
                                      "xbar.clock=700",
                                      "xbar.flit=40",
                                      "xbar.request_bytes_per_cycle=40",
                                      "xbar.response_bytes_per_cycle=40",
                                      "l2.slices=2",
                                      "l2.size=64KiB",
                                      "l2.line=128",
                                      "l2.sector=128",
                                      "l2.ways=8",
                                      "l2.write_miss=fetch-on-write",
                                      "l2.fetch=128",
                                      "l2.mshrs=6",
                                      "l2.mshr_merges=2",
                                      "l2.clock=700",
                                      "l2.fill_on_memcpy=true",
                                      "dram.channels=2",
                                      "dram.clock=1200",
                                      "dram.separate_write_queue=true",
                                      "dram.read_queue=8",
                                      "dram.write_queue=8",
                                      "dram.write_high=6",
                                      "dram.write_low=2",
                                      "dram.tRFC=60",
                                      "dram.tREFI=700",
                                      "dram.efficiency=0.9",
                                      "tlb.enabled=true",
                                      "tlb.page=64KiB",
                                      "tlb.l1.size=128KiB",
                                      "tlb.l1.line=64KiB",
                                      "tlb.l1.sector=64KiB",
                                      "tlb.l1.ways=2",
                                      "tlb.l2.size=1MiB",
                                      "tlb.l2.line=64KiB",
                                      "tlb.l2.sector=64KiB",
                                      "tlb.l2.ways=4",
                                      "tlb.l1_miss=30",
                                      "tlb.l2_miss=200",
                                      NULL};
/* Explicit sets, weighted victims. */
static const char *const odd[] = {"sm_version=70",
                                  "sm.fetch_interval=5",
                                  "sm.fetch_stream=30",
                                  "sm.fetch_own=256",
                                  "sm.fetch_jump=7",
                                  "sm.count=4",
                                  "sm.clock=1400",
                                  "sm.max_warps=16",
                                  "sm.max_blocks=4",
                                  "sm.max_threads=512",
                                  "sm.scheduler_policy=oldest",
                                  "l1.size=8KiB",
                                  "l1.line=128",
                                  "l1.sector=32",
                                  "l1.ways=4",
                                  "l1.index=bits",
                                  "l1.index_bits=7, 8, 9, 10",
                                  "l1.replacement=weighted",
                                  "l1.way_weight=0.25, 0.25, 0.25, 0.25",
                                  "l1.write_policy=through-allocate",
                                  "l1.allocate=on-fill",
                                  "l1.mshrs=64",
                                  "xbar.coalescer_window=200",
                                  "xbar.coalescer_sms=2",
                                  "l2.slices=2",
                                  "l2.size=64KiB",
                                  "l2.ways=4",
                                  "l2.index=bits",
                                  "l2.index_bits=7, 8, 9, 10, 11, 12",
                                  "l2.replacement=weighted",
                                  "l2.way_weight=0.25, 0.25, 0.25, 0.25",
                                  "texture.size=4KiB",
                                  "texture.line=128",
                                  "texture.ways=4",
                                  "texture.index=bits",
                                  "texture.index_bits=7, 8, 9",
                                  "texture.replacement=weighted",
                                  "texture.way_weight=0.25, 0.25, 0.25, 0.25",
                                  "readonly.size=4KiB",
                                  "readonly.line=128",
                                  "readonly.ways=4",
                                  "readonly.index=bits",
                                  "readonly.index_bits=7, 8, 9",
                                  "readonly.replacement=weighted",
                                  "readonly.way_weight=0.25, 0.25, 0.25, 0.25",
                                  "dram.scheduler=fcfs",
                                  "dram.dual_command_bus=true",
                                  "dram.channels=2",
                                  "tlb.enabled=true",
                                  "tlb.before_l1=true",
                                  "tlb.page=64KiB",
                                  "tlb.l1.size=256KiB",
                                  "tlb.l1.line=64KiB",
                                  "tlb.l1.sector=64KiB",
                                  "tlb.l1.ways=2",
                                  "tlb.l1.replacement=weighted",
                                  "tlb.l1.way_weight=0.5, 0.5",
                                  "tlb.l1.index=bits",
                                  "tlb.l1.index_bits=16",
                                  "tlb.l2.size=1MiB",
                                  "tlb.l2.line=64KiB",
                                  "tlb.l2.sector=64KiB",
                                  "tlb.l2.ways=4",
                                  "tlb.l2.replacement=weighted",
                                  "tlb.l2.way_weight=0.25, 0.25, 0.25, 0.25",
                                  "tlb.l2.index=bits",
                                  "tlb.l2.index_bits=16, 17",
                                  "tlb.l1_miss=30",
                                  "tlb.l2_miss=200",
                                  "tlb.cold=90",
                                  "tlb.active=1MiB",
                                  "tlb.switch=70",
                                  NULL};

/* What is run: each model, and the variants that read other keys than the default. */
static const struct {
    const char *model, *variant, *settings[2];
} runs[] = {{"coalesce", NULL, {NULL}},
            {"reuse", NULL, {NULL}},
            {"reuse", "paper", {"mshrs_per_warp=on", NULL}},
            {"interval", NULL, {NULL}},
            {"interval", "mdm", {NULL}},
            {"learned", NULL, {NULL}},
            {"flow", NULL, {NULL}},
            {"sim", NULL, {NULL}}};

enum { N_MACHINES = 3, N_TRACES = 4, N_RUNS = sizeof runs / sizeof runs[0] };
static struct strata_gpu machine[N_MACHINES];
static struct strata_trace *trace[N_TRACES];

static bool set_key(struct strata_gpu *g, const char *word)
{
    char key[64];
    const char *equals = strchr(word, '=');
    snprintf(key, sizeof key, "%.*s", (int)(equals - word), word);
    return strata_gpu_set(g, key, equals + 1, NULL) == STRATA_OK;
}

static void build_machine(struct strata_gpu *g, const char *const *words)
{
    struct strata_error err;
    strata_gpu_init(g);
    for (; *words; words++)
        if (!set_key(g, *words))
            fail_msg("%s", *words);
    if (strata_gpu_validate(g, "machine", &err))
        fail_msg("%s", err.message);
}

static inline bool run(const struct strata_gpu *g, unsigned t, unsigned k,
                       struct strata_result *out)
{
    struct strata_reader *reader;
    struct strata_error err;
    struct strata_model_options opt = {
        .seed = 1, .threads = 1, .variant = runs[k].variant, .settings = runs[k].settings};
    assert_int_equal(strata_reader_open(trace[t], 0, &reader, &err), STRATA_OK);
    assert_int_equal(strata_result_init(out, strata_trace_launch(trace[t], 0), &err), STRATA_OK);
    bool done = strata_model_find(runs[k].model)->run(g, reader, &opt, out, &err) == STRATA_OK;
    strata_reader_close(reader);
    return done;
}

/* ---- a kernel of asynchronous work: copies to a barrier, products, the barrier of a cluster; and
 * a read of pitched memory through a texture ---- */

static void end_block(struct strata_writer *writer, struct strata_builder *builder)
{
    struct strata_block *block;
    assert_int_equal(strata_builder_end_block(builder, &block, NULL), STRATA_OK);
    assert_int_equal(strata_writer_block(writer, block, NULL), STRATA_OK);
    strata_block_destroy(block);
}
static void end_trace(struct strata_writer *writer, struct strata_builder *builder,
                      struct strata_code *code)
{
    assert_int_equal(strata_writer_end_launch(writer, NULL), STRATA_OK);
    assert_int_equal(strata_writer_finish(writer, NULL), STRATA_OK);
    strata_builder_destroy(builder);
    strata_code_destroy(code);
}

static inline void write_async(const char *path)
{
    enum { N = 18, BESIDE = 8, READ = 12, PRINT = 14, GROUP_WARPS = 8 };
    static const struct strata_inst insts[N] = {
        {.opcode = "init", .opclass = STRATA_OP_MBARRIER, .imm = STRATA_BARRIER_INIT},
        {.opcode = "bar", .opclass = STRATA_OP_BARRIER},
        {.opcode = "expect", .opclass = STRATA_OP_MBARRIER, .imm = STRATA_BARRIER_ARRIVE_EXPECT},
        {.opcode = "remote", .opclass = STRATA_OP_MBARRIER, .imm = STRATA_BARRIER_ARRIVE},
        {.opcode = "copy", .opclass = STRATA_OP_BULK, .space = STRATA_SPACE_GLOBAL},
        {.opcode = "wait", .opclass = STRATA_OP_MBARRIER, .imm = STRATA_BARRIER_WAIT},
        {.opcode = "wgmma", .opclass = STRATA_OP_WGMMA, .imm = 64 | 16 << 9},
        {.opcode = "commit", .opclass = STRATA_OP_WGMMA_COMMIT},
        {.opcode = "fma.f32", .opclass = STRATA_OP_FP32},
        {.opcode = "group", .opclass = STRATA_OP_WGMMA_WAIT},
        {.opcode = "arrive", .opclass = STRATA_OP_CLUSTER_ARRIVE},
        {.opcode = "cluster", .opclass = STRATA_OP_CLUSTER_WAIT},
        {.opcode = "tex.2d.v4.f32.f32",
         .opclass = STRATA_OP_MEM,
         .space = STRATA_SPACE_TEXTURE,
         .memop = STRATA_MEM_LOAD,
         .width_bytes = 4,
         .n_dst = 1,
         .reg = {20}},
        {.opcode = "add.f32", .opclass = STRATA_OP_FP32, .n_src = 1, .reg = {20}},
        {.opcode = "st.global.u32",
         .opclass = STRATA_OP_MEM,
         .space = STRATA_SPACE_GLOBAL,
         .memop = STRATA_MEM_STORE,
         .width_bytes = 4,
         .hints = STRATA_HINT_HOST},
        {.opcode = "atom.global.add.u32",
         .opclass = STRATA_OP_MEM,
         .space = STRATA_SPACE_GLOBAL,
         .memop = STRATA_MEM_ATOMIC,
         .width_bytes = 4,
         .hints = STRATA_HINT_HOST,
         .n_dst = 1,
         .reg = {21}},
        {.opcode = "add.s32", .opclass = STRATA_OP_INT, .n_src = 1, .reg = {21}},
        {.opcode = "exit", .opclass = STRATA_OP_EXIT}};
    const struct strata_launch_texture texture = {.base = 0x7f3000000000,
                                                  .pitch_bytes = 512,
                                                  .slice_bytes = 512 * 4,
                                                  .width = 64,
                                                  .height = 4,
                                                  .depth = 1,
                                                  .texels = STRATA_TEXELS_PITCHED,
                                                  .texel_bytes = 8,
                                                  .filters = true};
    struct strata_launch launch = {.program = "async",
                                   .trace = "kernel-1",
                                   .kernel = "async",
                                   .id = 1,
                                   .grid = {4, 1, 1},
                                   .block = {GROUP_WARPS * 32, 1, 1},
                                   .cluster = {2, 1, 1},
                                   .registers_per_thread = 16,
                                   .shared_static_bytes = 1024,
                                   .sm_version = 90,
                                   .isa = STRATA_ISA_PTX,
                                   .textures = &texture,
                                   .n_textures = 1};
    struct strata_code *code;
    struct strata_builder *builder;
    struct strata_writer *writer;
    uint32_t index[N];
    assert_int_equal(strata_code_create(&code, NULL), STRATA_OK);
    for (unsigned i = 0; i < N; i++) {
        struct strata_inst inst = insts[i];
        inst.pc = i * 16;
        assert_int_equal(strata_code_add(code, &inst, &index[i], NULL), STRATA_OK);
    }
    assert_int_equal(strata_builder_create(code, &builder, NULL), STRATA_OK);
    assert_int_equal(strata_writer_create(path, NULL, &writer, NULL), STRATA_OK);
    assert_int_equal(strata_writer_begin_launch(writer, &launch, code, NULL), STRATA_OK);
    for (unsigned b = 0; b < launch.grid.x; b++) {
        assert_int_equal(strata_builder_begin_block(builder, b, GROUP_WARPS, NULL), STRATA_OK);
        for (unsigned w = 0; w < GROUP_WARPS; w++) {
            assert_int_equal(strata_builder_begin_warp(builder, w, NULL), STRATA_OK);
            for (unsigned i = w ? 1 : 0; i < N; i++) {
                uint64_t words[32] = {0};
                uint32_t mask = UINT32_MAX;
                struct strata_bulk bulk = {.shared = 128,
                                           .bytes = 8192,
                                           .global = 0x7f2000000000 + b / 2 * 8192 + b % 2 * 2048,
                                           .multicast = b < 2 ? 0 : 1u << b % 2};
                if (w && i >= 2 && i <= 4)
                    continue;
                if (i == 0 || i == 2 || i == 3 || i == 5) {
                    static const uint32_t value[] = {2, 0, 8192, 1, 0, 0};
                    uint32_t mate = (2 - b % 2) << STRATA_RANK_SHIFT;
                    mask = 1;
                    words[0] = strata_barrier_pack(i == 3 ? mate : 0, value[i], 0);
                }
                if (i == 4)
                    mask = (1u << strata_bulk_pack(&bulk, words)) - 1;
                if (i == 6)
                    mask = 3;
                for (unsigned lane = 0; i == READ && lane < 32; lane++)
                    words[lane] = texture.base + b * 512 + w % 2 * 256 + lane * 8;
                for (unsigned lane = 0; i == PRINT && lane < 32; lane++)
                    words[lane] = 0x7f4000000000 + lane * 256;
                if (i == PRINT + 1)
                    mask = 1, words[0] = 0x7f4000010000;
                bool has =
                    i == 0 || (i >= 2 && i <= 6) || i == READ || i == PRINT || i == PRINT + 1;
                /* Products queue up, and other work goes on beside them. */
                for (unsigned k = i == 6 ? 3 : i == BESIDE ? 200 : 1; k; k--)
                    assert_int_equal(
                        strata_builder_add(builder, index[i], mask, has ? words : NULL, NULL),
                        STRATA_OK);
            }
        }
        end_block(writer, builder);
    }
    end_trace(writer, builder, code);
}

/* Machine code with control codes that jumps between lines of its code, stores and goes on when the
 * operands have been read. */
static void write_jumps(const char *path)
{
    enum { N = 400, RUN = 8, STORE = N - 2, BEHIND = N - 3 };
    static const uint32_t from[] = {0, 200, 304, 104, 352};
    struct strata_launch launch = {.program = "jumps",
                                   .trace = "kernel-1",
                                   .kernel = "jumps",
                                   .id = 1,
                                   .grid = {2, 1, 1},
                                   .block = {32, 1, 1},
                                   .registers_per_thread = 16,
                                   .shared_static_bytes = 1024,
                                   .sm_version = 90,
                                   .isa = STRATA_ISA_SASS};
    struct strata_code *code;
    struct strata_builder *builder;
    struct strata_writer *writer;
    assert_int_equal(strata_code_create(&code, NULL), STRATA_OK);
    for (uint32_t i = 0, at; i < N; i++) {
        struct strata_inst inst = {.pc = i * 16,
                                   .opcode = i == N - 1 ? "EXIT" : "IADD3",
                                   .opclass = i == N - 1 ? STRATA_OP_EXIT : STRATA_OP_INT,
                                   .control = {.known = 1,
                                               .stall = 4,
                                               .write_barrier = STRATA_NO_BARRIER,
                                               .read_barrier = STRATA_NO_BARRIER}};
        if (i == STORE) {
            inst.opcode = "STS";
            inst.opclass = STRATA_OP_MEM;
            inst.space = STRATA_SPACE_SHARED;
            inst.memop = STRATA_MEM_STORE;
            inst.width_bytes = 4;
            inst.control.read_barrier = 0;
        }
        inst.control.wait_mask = i == BEHIND;
        assert_int_equal(strata_code_add(code, &inst, &at, NULL), STRATA_OK);
    }
    assert_int_equal(strata_builder_create(code, &builder, NULL), STRATA_OK);
    assert_int_equal(strata_writer_create(path, NULL, &writer, NULL), STRATA_OK);
    assert_int_equal(strata_writer_begin_launch(writer, &launch, code, NULL), STRATA_OK);
    for (unsigned b = 0; b < launch.grid.x; b++) {
        assert_int_equal(strata_builder_begin_block(builder, b, 1, NULL), STRATA_OK);
        assert_int_equal(strata_builder_begin_warp(builder, 0, NULL), STRATA_OK);
        for (size_t k = 0; k < sizeof from / sizeof from[0]; k++)
            for (uint32_t i = 0; i < RUN; i++)
                assert_int_equal(strata_builder_add(builder, from[k] + i, UINT32_MAX, NULL, NULL),
                                 STRATA_OK);
        static const uint64_t words[32] = {0};
        assert_int_equal(strata_builder_add(builder, STORE, 1, words, NULL), STRATA_OK);
        assert_int_equal(strata_builder_add(builder, BEHIND, UINT32_MAX, NULL, NULL), STRATA_OK);
        assert_int_equal(strata_builder_add(builder, N - 1, UINT32_MAX, NULL, NULL), STRATA_OK);
        end_block(writer, builder);
    }
    end_trace(writer, builder, code);
}

static inline void open_keyfix(void)
{
    const char *const *words[N_MACHINES] = {modern, classic, odd};
    struct strata_error err;
    snprintf(folder, sizeof folder, "/tmp/strata-keys-XXXXXX");
    assert_non_null(mkdtemp(folder));
    write_file("kernelslist.g", write_list);
    write_file("kernel-1.traceg", write_kernel);
    char path[128];
    snprintf(path, sizeof path, "%s/kernelslist.g", folder);
    const char *const shape[] = {"nx=96", "ny=16", NULL};
    if (strata_trace_open(path, NULL, &trace[0], &err) ||
        strata_generate("stencil2d", shape, &trace[1], &err))
        fail_msg("%s", err.message);
    snprintf(path, sizeof path, "%s/async.strata", folder);
    write_async(path);
    if (strata_trace_open(path, NULL, &trace[2], &err))
        fail_msg("%s", err.message);
    snprintf(path, sizeof path, "%s/jumps.strata", folder);
    write_jumps(path);
    if (strata_trace_open(path, NULL, &trace[3], &err))
        fail_msg("%s", err.message);
    for (unsigned m = 0; m < N_MACHINES; m++)
        build_machine(&machine[m], words[m]);
}

static inline int close_keyfix(void)
{
    char path[128];
    for (int i = 0; i < N_TRACES; i++)
        strata_trace_close(trace[i]);
    static const char *const files[] = {"kernelslist.g", "kernel-1.traceg", "async.strata",
                                        "jumps.strata"};
    for (int i = 0; i < N_TRACES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    return rmdir(folder);
}

#endif
