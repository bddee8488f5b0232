/* Any bytes as a file that may be compressed, read in pieces of any size and as lines; and the same
 * bytes written as each kind and read back. The first byte chooses. */
#include "fuzz_trace.h"

#include "trace/stream.h"
#include "trace/trace_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Enough for a small bomb to show whether memory stays bounded, without filling it. */
enum { MOST_BYTES = 1 << 22 };

static void read_pieces(const uint8_t *data, size_t size, size_t piece)
{
    static uint8_t out[65536];
    struct stream_source *s;
    struct strata_error err;
    size_t got = 1, total = 0;
    strata_status st = stream_source_open_memory("fuzz", data, size, &s, &err);
    while (!st && got && total < MOST_BYTES) {
        st = stream_source_read(s, out, piece, &got, &err);
        if (!st && got < piece) { /* over: it must stay over */
            size_t more = 1;
            if (stream_source_read(s, out, 1, &more, &err) == STRATA_OK && more)
                abort();
        }
        total += got;
    }
    if (st)
        check_refusal(st, &err);
    stream_source_close(s);
}

static void read_lines(const uint8_t *data, size_t size)
{
    struct stream_source *s;
    struct strata_error err;
    struct text t;
    const char *p;
    strata_status st = stream_source_open_memory("fuzz", data, size, &s, &err);
    if (st) {
        check_refusal(st, &err);
        return;
    }
    if (text_init(&t, s, &err))
        return;
    while (!(st = text_begin_line(&t, &p, &err)) && t.line < 1 << 18)
        text_skip_line(&t);
    if (st && st != STRATA_END)
        check_refusal(st, &err);
    text_release(&t);
}

static void write_and_read(const uint8_t *data, size_t size, enum stream_kind kind)
{
    static uint8_t out[1 << 20];
    struct stream_sink *sink;
    struct stream_source *source;
    size_t got, half = size / 2;
    char path[64];
    int fd = file_of(NULL, 0, path, sizeof path);
    if (size > sizeof out - 1 || stream_sink_open(path, NULL, kind, 1, &sink, NULL) ||
        stream_sink_write(sink, data, half, NULL) ||
        stream_sink_write(sink, data + half, size - half, NULL) || stream_sink_finish(sink, NULL))
        abort();
    if (stream_source_open(path, &source, NULL) ||
        (kind != STREAM_PLAIN && stream_source_kind(source) != kind))
        abort();
    /* Plain bytes may happen to look compressed. */
    bool same = stream_source_kind(source) == kind;
    if (same && (stream_source_read(source, out, sizeof out, &got, NULL) || got != size ||
                 memcmp(out, data, size)))
        abort();
    stream_source_close(source);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    unsigned choice = data[0] & 7;
    if (choice < 4)
        read_pieces(data + 1, size - 1,
                    choice == 0   ? 1
                    : choice == 1 ? 13
                    : choice == 2 ? 4096
                                  : 65536);
    else if (choice == 4)
        read_lines(data + 1, size - 1);
    else
        write_and_read(data + 1, size - 1, (enum stream_kind)(data[0] >> 3 & 3));
    return 0;
}
