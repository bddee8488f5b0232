/* The native container: whole traces come back, damaged ones are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <strata/trace.h>

#include "nativefix.h"

#include "base/bits.h"
#include "trace/bytecode.h"
#include "trace/native.h"

static uint64_t rng_state;

static uint64_t rnd(void)
{
    rng_state += 0x9e3779b97f4a7c15ull;
    return mix64(rng_state);
}

static uint32_t add_inst(struct strata_code *code, uint64_t pc, const char *opcode)
{
    bool mem = !strncmp(opcode, "LDG", 3) || !strncmp(opcode, "STG", 3);
    struct strata_inst inst = {.pc = pc,
                               .opcode = opcode,
                               .source_line = (uint32_t)pc / 3,
                               .n_dst = 1,
                               .n_src = 2,
                               .imm = -5,
                               .trace_width = mem ? 4 : 0,
                               .reg = {1, 255, (uint16_t)pc}};
    uint32_t index;
    strata_inst_decode_sass(&inst, mem, false);
    assert_int_equal(strata_code_add(code, &inst, &index, NULL), STRATA_OK);
    return index;
}

/* A block whose warps load, loop and store; code grows while blocks are built. */
static struct strata_block *random_block(struct strata_builder *b, struct strata_code *code,
                                         uint64_t index, uint32_t n_warps, uint32_t n_loops)
{
    struct strata_block *block;
    uint64_t addr[STRATA_WARP_SIZE];
    assert_int_equal(strata_builder_begin_block(b, index, n_warps, NULL), STRATA_OK);
    for (uint32_t w = 0; w < n_warps; w++) {
        strata_builder_begin_warp(b, w, NULL);
        uint32_t load = add_inst(code, 16, "LDG.E"), add = add_inst(code, 32, "IADD3"),
                 store = add_inst(code, 48, "STG.E.64"), leave = add_inst(code, 64, "EXIT");
        for (uint32_t i = 0; i < n_loops; i++) {
            for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
                addr[lane] = 0x7f0000000000ull + (rnd() & 0xfffffc);
            strata_builder_add(b, load, UINT32_MAX, addr, NULL);
            strata_builder_add(b, add, (uint32_t)rnd(), NULL, NULL);
            strata_builder_add_strided(b, store, UINT32_MAX, 0x1000 + index * 4096 + w * 128 + i, 4,
                                       NULL);
        }
        if (index == 5)
            strata_builder_add(b, add_inst(code, 80, "ZZTOP"), 1, NULL, NULL);
        strata_builder_add(b, leave, UINT32_MAX, NULL, NULL);
    }
    assert_int_equal(strata_builder_end_block(b, &block, NULL), STRATA_OK);
    return block;
}

/* Three launches and two copies; block b of launch 0 is written at place (b * 5) mod 24. */
static void write_example(const char *path, uint32_t n_loops)
{
    struct strata_writer *w;
    struct strata_error err;
    rng_state = 1;
    assert_int_equal(strata_writer_create(path, NULL, &w, &err), STRATA_OK);
    assert_int_equal(
        strata_writer_memcpy(w, STRATA_EVENT_MEMCPY_HTOD, 0x7f0000000000, 1 << 20, &err),
        STRATA_OK);
    for (unsigned l = 0; l < 3; l++) {
        struct strata_code *code;
        struct strata_builder *b;
        strata_code_create(&code, NULL);
        strata_builder_create(code, &b, NULL);
        assert_int_equal(strata_writer_begin_launch(w, &example_launch, code, &err), STRATA_OK);
        for (uint64_t i = 0; i < (l == 1 ? 0 : 24); i++) {
            struct strata_block *block = random_block(b, code, l ? i : i * 5 % 24, 2, n_loops);
            assert_int_equal(strata_writer_block(w, block, &err), STRATA_OK);
            strata_block_destroy(block);
        }
        assert_int_equal(strata_writer_end_launch(w, &err), STRATA_OK);
        strata_builder_destroy(b);
        strata_code_destroy(code);
    }
    assert_int_equal(strata_writer_memcpy(w, STRATA_EVENT_MEMCPY_DTOH, 4096, 77, &err), STRATA_OK);
    assert_int_equal(strata_writer_finish(w, &err), STRATA_OK);
}

static uint64_t digest_text(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = mix64(h ^ (unsigned char)*text);
    return h;
}

static uint64_t digest_inst(uint64_t h, const struct strata_inst *i)
{
    h = digest_text(h, i->opcode);
    h = mix64(h ^ i->pc ^ (uint64_t)i->source_line << 40 ^ (uint64_t)(uint32_t)i->imm << 20);
    h = mix64(h ^ i->hints ^ (uint64_t)i->opclass << 16 ^ (uint64_t)i->space << 24 ^
              (uint64_t)i->memop << 32 ^ (uint64_t)i->width_bytes << 40 ^
              (uint64_t)i->trace_width << 48 ^ (uint64_t)i->n_src << 56);
    for (unsigned r = 0; r < 32; r++)
        h = mix64(h ^ i->reg[r]);
    return h;
}

static uint64_t digest_block(uint64_t h, const struct strata_block *block)
{
    struct strata_cursor c = {0};
    struct strata_winst w;
    uint64_t addr[STRATA_WARP_SIZE];
    h = mix64(h ^ block->index);
    for (uint32_t warp = 0; warp < block->n_warps; warp++) {
        assert_int_equal(strata_cursor_init(&c, block, warp, NULL), STRATA_OK);
        while (strata_cursor_next(&c, &w)) {
            h = digest_inst(h ^ w.mask, w.inst);
            strata_winst_addresses(&w, addr);
            for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
                h = mix64(h ^ addr[lane]);
        }
    }
    strata_cursor_release(&c);
    return h;
}

static uint64_t digest_launch(uint64_t h, const struct strata_launch *l)
{
    h = digest_text(digest_text(digest_text(h, l->program), l->trace), l->kernel);
    h = mix64(h ^ l->id ^ (uint64_t)l->grid.x << 8 ^ (uint64_t)l->grid.y << 16 ^
              (uint64_t)l->grid.z << 24);
    h = mix64(h ^ l->block.x ^ (uint64_t)l->block.y << 8 ^ (uint64_t)l->block.z << 16 ^
              l->shared_base);
    h = mix64(h ^ l->registers_per_thread ^ (uint64_t)l->regs_source << 8 ^
              (uint64_t)l->shared_static_bytes << 16);
    h = mix64(h ^ l->shared_dynamic_bytes ^ (uint64_t)l->sm_version << 16 ^ (uint64_t)l->isa << 32 ^
              l->local_base);
    return mix64(h ^ l->stream ^ l->warp_instructions << 8 ^ l->sampled_blocks << 40);
}

/* Everything in the trace in one number; *status is that of the first failure, *n_warnings counts
 * launches whose reader warned that the index is missing. */
static uint64_t digest(const char *path, strata_status *status, size_t *n_warnings,
                       struct strata_error *err)
{
    struct strata_trace *t;
    uint64_t h = 0;
    *n_warnings = 0;
    *status = strata_trace_open(path, NULL, &t, err);
    if (*status)
        return 0;
    for (size_t i = 0; i < strata_trace_event_count(t); i++) {
        const struct strata_event *e = strata_trace_event(t, i);
        h = mix64(h ^ e->kind ^ (uint64_t)e->launch << 8 ^ e->address << 16 ^ e->bytes << 4);
    }
    for (size_t i = 0; !*status && i < strata_trace_launch_count(t); i++) {
        struct strata_reader *r;
        struct strata_block *block;
        h = digest_launch(h, strata_trace_launch(t, i));
        *status = strata_reader_open(t, i, &r, err);
        if (*status)
            break;
        while (!(*status = strata_reader_next(r, &block, err))) {
            h = digest_block(h, block);
            strata_block_destroy(block);
        }
        if (*status == STRATA_END)
            *status = STRATA_OK;
        for (size_t k = 0; k < strata_reader_warning_count(r); k++)
            *n_warnings += strstr(strata_reader_warning(r, k), "index") != NULL;
        strata_reader_close(r);
    }
    strata_trace_close(t);
    return h;
}

static uint8_t *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    uint8_t *bytes = malloc(1 << 22);
    *n = fread(bytes, 1, 1 << 22, f);
    fclose(f);
    return bytes;
}

static void spill(const char *path, const uint8_t *bytes, size_t n)
{
    unlink(path); /* truncating an old file would wait for the disk */
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void a_trace_comes_back_with_every_field(void **state)
{
    (void)state;
    struct strata_trace *t;
    struct strata_error err;
    char *path = strdup(path_of("whole.strata"));
    write_example(path, 10);
    assert_int_equal(strata_trace_open(path, NULL, &t, &err), STRATA_OK);
    assert_string_equal(strata_trace_format_name(t), "strata");
    assert_int_equal(strata_trace_launch_count(t), 3);
    assert_int_equal(strata_trace_event_count(t), 5);
    assert_int_equal(strata_trace_event(t, 0)->kind, STRATA_EVENT_MEMCPY_HTOD);
    assert_int_equal(strata_trace_event(t, 0)->bytes, 1 << 20);
    assert_int_equal(strata_trace_event(t, 3)->launch, 2);
    assert_int_equal(strata_trace_event(t, 4)->address, 4096);
    struct strata_launch got = *strata_trace_launch(t, 0), want = example_launch;
    assert_string_equal(got.program, want.program);
    assert_string_equal(got.trace, want.trace);
    assert_string_equal(got.kernel, want.kernel);
    assert_int_equal(got.warp_instructions, 24 * 2 * 31 + 2);
    assert_int_equal(strata_trace_launch(t, 1)->warp_instructions, 0);
    got.warp_instructions = 0;
    got.program = want.program;
    got.trace = want.trace;
    got.kernel = want.kernel;
    assert_memory_equal(&got, &want, sizeof got);

    /* Blocks against freshly made ones, and the order of both ways to read. */
    struct strata_reader *r;
    struct strata_code *code;
    struct strata_builder *b;
    struct strata_block *block;
    strata_code_create(&code, NULL);
    strata_builder_create(code, &b, NULL);
    rng_state = 1;
    assert_int_equal(strata_reader_open(t, 0, &r, &err), STRATA_OK);
    for (uint64_t i = 0; i < 24; i++) {
        struct strata_block *made = random_block(b, code, i * 5 % 24, 2, 10);
        assert_int_equal(strata_reader_next(r, &block, &err), STRATA_OK);
        assert_true(digest_block(0, made) == digest_block(0, block));
        strata_block_destroy(made);
        strata_block_destroy(block);
    }
    assert_int_equal(strata_reader_next(r, &block, &err), STRATA_END);
    assert_int_equal(strata_code_count(strata_reader_code(r)), strata_code_count(code));
    assert_int_equal(strata_reader_warning_count(r), 1);
    assert_non_null(strstr(strata_reader_warning(r, 0), "ZZTOP"));
    strata_reader_close(r);
    assert_int_equal(strata_reader_open(t, 0, &r, &err), STRATA_OK);
    for (uint64_t i = 0; i < 24; i++) {
        assert_int_equal(strata_reader_next_ordered(r, &block, &err), STRATA_OK);
        assert_int_equal(block->index, i);
        strata_block_destroy(block);
    }
    assert_int_equal(strata_reader_next_ordered(r, &block, &err), STRATA_END);
    strata_reader_close(r);
    strata_builder_destroy(b);
    strata_code_destroy(code);
    strata_trace_close(t);
    free(path);
}

static void any_block_can_be_sought_across_chunks(void **state)
{
    (void)state;
    struct strata_trace *t;
    struct strata_reader *r;
    struct strata_block *block;
    struct strata_error err;
    char *path = strdup(path_of("large.strata"));
    write_example(path, 2000); /* 190 KB a block, so that 24 blocks need two chunks */
    assert_int_equal(strata_trace_open(path, NULL, &t, &err), STRATA_OK);
    assert_int_equal(strata_reader_open(t, 0, &r, &err), STRATA_OK);
    for (uint64_t i = 0; i < 24; i += 7) {
        assert_int_equal(strata_reader_seek(r, i, &err), STRATA_OK);
        assert_int_equal(strata_reader_next(r, &block, &err), STRATA_OK);
        assert_int_equal(block->index, i);
        strata_block_destroy(block);
        if (i * 5 % 24 == 23)
            continue;
        assert_int_equal(strata_reader_next(r, &block, &err), STRATA_OK); /* file order goes on */
        assert_int_equal(block->index, (i + 5) % 24);
        strata_block_destroy(block);
    }
    assert_int_equal(strata_reader_seek(r, 24, &err), STRATA_END);
    assert_int_equal(strata_reader_next(r, &block, &err), STRATA_END);
    strata_reader_close(r);
    strata_trace_close(t);
    free(path);
}

static void a_truncated_file_is_refused_unless_only_the_index_is_gone(void **state)
{
    (void)state;
    size_t n, warnings, readable = 0;
    strata_status status;
    struct strata_error err;
    char *whole = strdup(path_of("whole.strata")), *cut = strdup(path_of("cut.strata"));
    write_example(whole, 10);
    uint64_t want = digest(whole, &status, &warnings, &err);
    assert_int_equal(status, STRATA_OK);
    assert_int_equal(warnings, 0);
    uint8_t *bytes = slurp(whole, &n);
    for (size_t length = 0; length<n; length += length + 400> n ? 1 : 211) {
        spill(cut, bytes, length);
        uint64_t got = digest(cut, &status, &warnings, &err);
        if (status == STRATA_OK) { /* cut between launches, or in the index: told in each launch */
            assert_true(warnings == 3 || got != want);
            assert_true(warnings > 0);
            readable += got == want;
        } else {
            assert_int_equal(status, STRATA_EFORMAT);
            assert_int_equal(err.message[strlen(err.message) - 1], '.');
        }
    }
    assert_true(readable > 20);
    free(bytes);
    free(whole);
    free(cut);
}

static void a_flipped_bit_is_found_wherever_it_is(void **state)
{
    (void)state;
    size_t n, warnings;
    strata_status status;
    struct strata_error err;
    char *whole = strdup(path_of("whole.strata")), *flipped = strdup(path_of("flipped.strata"));
    write_example(whole, 10);
    uint64_t want = digest(whole, &status, &warnings, &err);
    uint8_t *bytes = slurp(whole, &n);
    for (size_t i = 0; i < n; i += i < 300 || i + 300 > n ? 1 : 97) {
        bytes[i] ^= (uint8_t)(1u << i % 8);
        spill(flipped, bytes, n);
        uint64_t got = digest(flipped, &status, &warnings, &err);
        if (status == STRATA_OK && got != want)
            fail_msg("a flipped bit at byte %zu of %zu went unnoticed", i, n);
        bytes[i] ^= (uint8_t)(1u << i % 8);
    }
    free(bytes);
    free(whole);
    free(flipped);
}

/* ---- a file that claims more than it holds ---- */

enum { CLAIMED_BYTES = 512 << 20 };

/* The payload of a BLOCKS record with another column of tokens. */
static struct pack swell(const uint8_t *payload, size_t n)
{
    struct pack old = {.p = (uint8_t *)(uintptr_t)payload, .n = n}, out = {0};
    struct unpack u = unpack_from(&old, false);
    uint8_t *zeros = calloc(1, CLAIMED_BYTES);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    for (int i = 0; i < 4; i++)
        pack_varint(&out, unpack_varint(&u));
    for (int i = 0; i < N_COLUMNS; i++) {
        struct packed_column c = unpack_packed(&u);
        if (i == COLUMN_TOKENS) {
            pack_column(&out, zstd, 3, zeros, CLAIMED_BYTES);
            continue;
        }
        pack_varint(&out, c.n_raw);
        pack_varint(&out, c.n_stored);
        pack_bytes(&out, c.stored, c.n_stored);
    }
    ZSTD_freeCCtx(zstd);
    free(zeros);
    return out;
}

/* Writes the records of a file with their checksums made good, and without the index. */
static void write_swollen(const char *from, const char *to)
{
    size_t n, at = NATIVE_HEADER_BYTES;
    uint8_t *bytes = slurp(from, &n), head[NATIVE_RECORD_BYTES];
    struct native_record record;
    uint32_t crc;
    FILE *f = fopen(to, "wb");
    assert_non_null(f);
    fwrite(bytes, 1, NATIVE_HEADER_BYTES, f);
    while (at + NATIVE_RECORD_BYTES < n && native_record_decode(bytes + at, &record, &crc) &&
           record.kind != NATIVE_INDEX) {
        const uint8_t *payload = bytes + at + NATIVE_RECORD_BYTES;
        struct pack other = {0};
        if (record.kind == NATIVE_BLOCKS)
            other = swell(payload, record.payload_bytes);
        else
            pack_bytes(&other, payload, record.payload_bytes);
        native_record_encode(head, record.kind, record.launch, other.n,
                             native_crc(other.p, other.n));
        fwrite(head, 1, sizeof head, f);
        fwrite(other.p, 1, other.n, f);
        pack_release(&other);
        at += NATIVE_RECORD_BYTES + record.payload_bytes;
    }
    fclose(f);
    free(bytes);
}

static long peak_kib(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss;
}

/* In a process of its own: the peak of memory never falls again. */
static int read_and_measure(const char *path)
{
    struct strata_trace *trace;
    struct strata_reader *reader;
    struct strata_block *block;
    struct strata_error err;
    long before = peak_kib();
    if (strata_trace_open(path, NULL, &trace, &err) || strata_reader_open(trace, 0, &reader, &err))
        return 2;
    strata_status status = strata_reader_next(reader, &block, &err);
    if (status != STRATA_EFORMAT || !strstr(err.message, "sizes of thread blocks make no sense"))
        return 3;
    strata_reader_close(reader);
    strata_trace_close(trace);
    return peak_kib() - before > 64 << 10 ? 4 : 0;
}

static void a_column_is_not_expanded_before_the_sizes_agree_with_it(void **state)
{
    (void)state;
    int status;
    char *whole = strdup(path_of("whole.strata")), *swollen = strdup(path_of("swollen.strata"));
    write_example(whole, 10);
    pid_t pid = fork();
    if (!pid) {
        write_swollen(whole, swollen);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    pid = fork();
    if (!pid)
        _exit(read_and_measure(swollen));
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    free(whole);
    free(swollen);
}

struct thread_job {
    struct strata_trace *trace;
    size_t launch;
    uint64_t digest;
};

static void *read_launch(void *context)
{
    struct thread_job *job = context;
    struct strata_reader *r;
    struct strata_block *block;
    if (strata_reader_open(job->trace, job->launch, &r, NULL))
        return NULL;
    while (!strata_reader_next(r, &block, NULL)) {
        job->digest = digest_block(job->digest, block);
        strata_block_destroy(block);
    }
    strata_reader_close(r);
    return NULL;
}

static void readers_of_one_trace_work_in_threads(void **state)
{
    (void)state;
    struct strata_trace *t;
    pthread_t thread[6];
    struct thread_job job[7];
    char *path = strdup(path_of("whole.strata"));
    write_example(path, 200);
    assert_int_equal(strata_trace_open(path, NULL, &t, NULL), STRATA_OK);
    for (size_t i = 0; i < 7; i++)
        job[i] = (struct thread_job){.trace = t, .launch = i % 2 ? 2 : 0};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, read_launch, &job[i]), 0);
    for (size_t i = 0; i < 6; i++)
        pthread_join(thread[i], NULL);
    read_launch(&job[6]);
    for (size_t i = 0; i < 6; i += 2)
        assert_true(job[i].digest == job[6].digest && job[i].digest);
    assert_true(job[1].digest == job[3].digest && job[1].digest != job[0].digest);
    strata_trace_close(t);
    free(path);
}

static void other_files_are_refused_with_a_sentence(void **state)
{
    (void)state;
    struct strata_trace *t;
    struct strata_error err;
    char *path = strdup(path_of("other.strata"));
    uint8_t header[NATIVE_HEADER_BYTES];
    assert_int_equal(strata_trace_open(path, NULL, &t, &err), STRATA_EIO);
    assert_non_null(strstr(err.message, "No such file"));
    spill(path, header, 0);
    assert_int_equal(strata_trace_open(path, NULL, &t, &err), STRATA_EFORMAT);
    assert_non_null(strstr(err.message, "empty"));
    memcpy(header, NATIVE_MAGIC, 8);
    store_le(header + 8, 9, 2);
    store_le(header + 10, 2, 2);
    store_le(header + 12, native_crc(header, 12), 4);
    spill(path, header, sizeof header);
    assert_int_equal(strata_trace_open(path, NULL, &t, &err), STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "version 9.2"));
    spill(path, (const uint8_t *)"\x7f\x45LF or anything else", 20);
    assert_int_equal(strata_trace_open(path, NULL, &t, &err), STRATA_EFORMAT);
    assert_int_equal(strata_trace_open(folder, NULL, &t, &err), STRATA_EFORMAT);
    free(path);
}

static void a_full_disk_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    struct strata_writer *w;
    struct strata_error err;
    struct strata_writer_options opt = {.format = "strata"};
    if (access("/dev/full", W_OK))
        skip();
    assert_int_equal(strata_writer_create("/dev/full", &opt, &w, &err), STRATA_OK);
    assert_int_equal(strata_writer_finish(w, &err), STRATA_EIO);
    assert_non_null(strstr(err.message, "No space left"));
    assert_int_equal(access("/dev/full", F_OK), 0);
    assert_int_equal(strata_writer_create("/nowhere/x.strata", NULL, &w, &err), STRATA_EIO);
    assert_int_equal(strata_writer_create(path_of("x.strata"), NULL, &w, &err), STRATA_OK);
    assert_int_equal(access(path_of("x.strata"), F_OK), -1); /* not before it is complete */
    strata_writer_abort(w);
    char command[300];
    snprintf(command, sizeof command, "ls %s | grep -q 'x.strata'", folder);
    assert_int_not_equal(system(command), 0);
    opt.compression_level = 40;
    assert_int_equal(strata_writer_create(path_of("x.strata"), &opt, &w, &err), STRATA_EUSAGE);
    opt.format = "elephant";
    assert_int_equal(strata_writer_create(path_of("x.strata"), &opt, &w, &err), STRATA_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_comes_back_with_every_field),
        cmocka_unit_test(any_block_can_be_sought_across_chunks),
        cmocka_unit_test(a_truncated_file_is_refused_unless_only_the_index_is_gone),
        cmocka_unit_test(a_flipped_bit_is_found_wherever_it_is),
        cmocka_unit_test(a_column_is_not_expanded_before_the_sizes_agree_with_it),
        cmocka_unit_test(readers_of_one_trace_work_in_threads),
        cmocka_unit_test(other_files_are_refused_with_a_sentence),
        cmocka_unit_test(a_full_disk_is_told_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
