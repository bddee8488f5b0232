/* Byte streams: plain, xz, gzip and zstd, whole, concatenated, damaged and cut. */
#include "textfix.h"

#include "base/bits.h"
#include "trace/stream.h"
#include "trace/trace_text.h"

/* Bytes that compress somewhat: runs of pseudo-random text. */
static unsigned char *sample(size_t n)
{
    unsigned char *p = malloc(n);
    uint64_t x = 1;
    for (size_t i = 0; i < n; i++) {
        if (i % 7 == 0)
            x = mix64(x + i);
        p[i] = (unsigned char)('a' + (x >> i % 7 * 3) % 16);
    }
    return p;
}

static strata_status write_stream(const char *path, enum stream_kind kind, const void *bytes,
                                  size_t n)
{
    struct stream_sink *s;
    strata_status st = stream_sink_open(path, NULL, kind, 0, &s, NULL);
    for (size_t at = 0, part; !st && at < n; at += part) {
        part = n - at < 100000 ? n - at : 100000;
        st = stream_sink_write(s, (const char *)bytes + at, part, NULL);
    }
    return st ? st : stream_sink_finish(s, NULL);
}

/* Reads in pieces of `piece` bytes; the total in *n. */
static strata_status read_stream(const char *path, unsigned char *out, size_t size, size_t piece,
                                 size_t *n, struct strata_error *err)
{
    struct stream_source *s;
    strata_status st = stream_source_open(path, &s, err);
    if (st)
        return st;
    size_t got = 1;
    for (*n = 0; !st && got; *n += got)
        st = stream_source_read(s, out + *n, size - *n < piece ? size - *n : piece, &got, err);
    stream_source_close(s);
    return st;
}

static void every_kind_gives_back_what_was_written(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 65536, 300001};
    for (int kind = STREAM_PLAIN; kind < STREAM_N_KIND; kind++) {
        for (size_t i = 0; i < 4; i++) {
            size_t n = sizes[i], got;
            unsigned char *in = sample(n + 1), *out = malloc(n + 1);
            const char *path = in_scratch("stream");
            assert_int_equal(write_stream(path, (enum stream_kind)kind, in, n), STRATA_OK);
            assert_int_equal(read_stream(path, out, n + 1, 7777, &got, NULL), STRATA_OK);
            assert_int_equal(got, n);
            assert_memory_equal(in, out, n);
            free(in);
            free(out);
        }
    }
}

static size_t slurp(const char *path, unsigned char *out, size_t size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(out, 1, size, f);
    fclose(f);
    return n;
}

static void concatenated_members_are_one_stream(void **state)
{
    (void)state;
    unsigned char packed[2][4096], out[64];
    for (int kind = STREAM_XZ; kind < STREAM_N_KIND; kind++) {
        size_t n[2], got;
        write_stream(in_scratch("a"), (enum stream_kind)kind, "hello ", 6);
        write_stream(in_scratch("b"), (enum stream_kind)kind, "world", 5);
        n[0] = slurp(in_scratch("a"), packed[0], sizeof packed[0]);
        n[1] = slurp(in_scratch("b"), packed[1], sizeof packed[1]);
        memcpy(packed[0] + n[0], packed[1], n[1]);
        const char *path = write_file_n("ab", packed[0], n[0] + n[1]);
        assert_int_equal(read_stream(path, out, sizeof out, 4, &got, NULL), STRATA_OK);
        assert_int_equal(got, 11);
        assert_memory_equal(out, "hello world", 11);
    }
}

static void a_compressed_stream_cut_anywhere_is_an_error(void **state)
{
    (void)state;
    unsigned char *in = sample(5000), *packed = malloc(8192), *out = malloc(8192);
    for (int kind = STREAM_XZ; kind < STREAM_N_KIND; kind++) {
        write_stream(in_scratch("whole"), (enum stream_kind)kind, in, 5000);
        size_t n = slurp(in_scratch("whole"), packed, 8192);
        for (size_t cut = 6; cut < n; cut += cut < n - 40 ? 61 : 1) {
            struct strata_error err = {0};
            size_t got;
            const char *path = write_file_n("cut", packed, cut);
            assert_int_equal(read_stream(path, out, 8192, 4096, &got, &err), STRATA_EFORMAT);
            assert_non_null(strstr(err.message, "stops in the middle"));
            assert_string_equal(err.file, path);
        }
    }
    free(in);
    free(packed);
    free(out);
}

static void a_damaged_stream_is_an_error(void **state)
{
    (void)state;
    unsigned char *in = sample(5000), *packed = malloc(8192), *out = malloc(8192);
    for (int kind = STREAM_XZ; kind < STREAM_N_KIND; kind++) {
        struct strata_error err = {0};
        size_t got;
        write_stream(in_scratch("whole"), (enum stream_kind)kind, in, 5000);
        size_t n = slurp(in_scratch("whole"), packed, 8192);
        packed[n / 2] ^= 0x55;
        const char *path = write_file_n("damaged", packed, n);
        assert_int_equal(read_stream(path, out, 8192, 4096, &got, &err), STRATA_EFORMAT);
        assert_non_null(strstr(err.message, "is damaged"));
    }
    free(in);
    free(packed);
    free(out);
}

static void a_missing_file_and_a_folder_are_errors_with_a_reason(void **state)
{
    (void)state;
    struct strata_error err;
    struct stream_source *s;
    assert_int_equal(stream_source_open(in_scratch("missing"), &s, &err), STRATA_EIO);
    assert_non_null(strstr(err.message, "No such file"));
    assert_int_equal(stream_source_open(scratch, &s, &err), STRATA_EIO);
    assert_non_null(strstr(err.message, "directory"));
    assert_null(s);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK))
        skip();
    unsigned char *in = sample(1 << 20);
    for (int kind = STREAM_PLAIN; kind < STREAM_N_KIND; kind++) {
        struct strata_error err;
        struct stream_sink *s;
        assert_int_equal(stream_sink_open("/dev/full", NULL, (enum stream_kind)kind, 1, &s, &err),
                         STRATA_OK);
        strata_status st = stream_sink_write(s, in, 1 << 20, &err);
        if (st)
            stream_sink_abort(s);
        else
            st = stream_sink_finish(s, &err);
        assert_int_equal(st, STRATA_EIO);
        assert_non_null(strstr(err.message, "No space left"));
    }
    free(in);
}

static void the_kind_comes_from_the_bytes_not_the_name(void **state)
{
    (void)state;
    unsigned char out[16];
    size_t got;
    const char *path = in_scratch("plain.xz");
    assert_int_equal(write_stream(path, STREAM_GZ, "abc", 3), STRATA_OK);
    assert_int_equal(read_stream(path, out, sizeof out, 16, &got, NULL), STRATA_OK);
    assert_int_equal(got, 3);
    assert_int_equal(stream_kind_of_name("x.traceg.zst"), STREAM_ZST);
    assert_int_equal(stream_kind_of_name("x.traceg"), STREAM_PLAIN);
}

/* Lines across every refill of the buffer, with and without a last newline. */
static void lines_survive_refills_of_the_buffer(void **state)
{
    (void)state;
    size_t n = 3 * TEXT_BUFFER_BYTES / 2;
    char *bytes = malloc(n + 8);
    size_t at = 0, lines = 0;
    while (at < n)
        at += (size_t)sprintf(bytes + at, "%zu\n", lines++ * 97 % 100000);
    for (int cut = 0; cut < 2; cut++) {
        struct stream_source *in;
        struct text t;
        const char *p;
        uint64_t value;
        size_t i = 0;
        assert_int_equal(stream_source_open_memory("m", bytes, at - (size_t)cut, &in, NULL),
                         STRATA_OK);
        assert_int_equal(text_init(&t, in, NULL), STRATA_OK);
        for (; text_begin_line(&t, &p, NULL) == STRATA_OK; i++) {
            const char *end = text_decimal(p, &value);
            assert_int_equal(value, i * 97 % 100000);
            assert_int_equal(*end, '\n');
            assert_int_equal(text_in_cut_line(&t), cut && i + 1 == lines);
            text_end_line(&t, end + 1);
        }
        assert_int_equal(i, lines);
        assert_int_equal(t.line, lines);
        text_release(&t);
    }
    free(bytes);
}

static void an_endless_line_is_an_error(void **state)
{
    (void)state;
    size_t n = 2 * TEXT_BUFFER_BYTES;
    char *bytes = malloc(n);
    struct stream_source *in;
    struct strata_error err;
    struct text t;
    const char *p;
    memset(bytes, 'x', n);
    bytes[0] = '\n';
    stream_source_open_memory("m", bytes, n, &in, NULL);
    text_init(&t, in, NULL);
    assert_int_equal(text_begin_line(&t, &p, &err), STRATA_OK);
    text_skip_line(&t);
    assert_int_equal(text_begin_line(&t, &p, &err), STRATA_EFORMAT);
    assert_int_equal(err.line, 2);
    text_release(&t);
    free(bytes);
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    uint64_t u;
    int64_t s;
    assert_non_null(text_hex("0xffffffffffffffff ", &u));
    assert_true(u == UINT64_MAX);
    assert_non_null(text_hex("00000000000000000001 ", &u));
    assert_null(text_hex("10000000000000000 ", &u));
    assert_null(text_hex("0x ", &u));
    assert_null(text_decimal("99999999999999999999 ", &u));
    assert_null(text_decimal("x", &u));
    assert_non_null(text_signed("-9223372036854775807 ", &s));
    assert_true(s == -INT64_MAX);
    assert_null(text_signed("9223372036854775808 ", &s));
    assert_null(text_signed("- ", &s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_gives_back_what_was_written),
        cmocka_unit_test(concatenated_members_are_one_stream),
        cmocka_unit_test(a_compressed_stream_cut_anywhere_is_an_error),
        cmocka_unit_test(a_damaged_stream_is_an_error),
        cmocka_unit_test(a_missing_file_and_a_folder_are_errors_with_a_reason),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(the_kind_comes_from_the_bytes_not_the_name),
        cmocka_unit_test(lines_survive_refills_of_the_buffer),
        cmocka_unit_test(an_endless_line_is_an_error),
        cmocka_unit_test(numbers_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
