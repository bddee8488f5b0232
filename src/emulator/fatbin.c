/* fatbin.c - fatbin containers: entries, unpacking, choice of the PTX to run.
 *
 * Layout (little-endian). Container: u32 magic, u16 version 1, u16 header size, u64 bytes that
 * follow. Entry: u16 kind, u16 version, u32 header size, u64 payload size (padded to 8), u32 packed
 * size, u32 options offset, u16 minor, u16 major, u32 arch, u32 name offset, u32 name length, u64
 * flags, u64 0, u64 unpacked size; then options and names up to the header size, then payload. */
#include <strata/fatbin.h>

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/array.h"
#include "emulator/fatbin_private.h"
#include "emulator/lz4_block.h"
#include "emulator/little.h"

#define ENTRY_HEADER_BYTES 64
#define FLAG_LZ4           0x2000u
#define FLAG_ZSTD          0x8000u
#define FLAG_ARCH          0x100000u
#define FLAG_FAMILY        0x200000u
/* The largest PTX of 173 public programs is 2.5 MB; a damaged size must not take all memory. */
#define MAX_UNPACKED_BYTES ((uint64_t)1 << 30)

struct strata_fatbin {
    struct strata_fatbin_entry *entry;
    size_t n_entries, cap_entries;
};

static strata_status damaged(struct strata_error *err, const char *name, uint64_t at,
                             const char *what)
{
    return strata_fail(err, STRATA_EFORMAT, name, 0, 0,
                       "the fatbin is damaged at byte %llu: %s; build the program again.",
                       (unsigned long long)at, what);
}

static void read_entry(const uint8_t *p, uint32_t header_bytes, struct strata_fatbin_entry *e)
{
    memset(e, 0, sizeof *e);
    e->kind = little16(p);
    e->stored_bytes = little64(p + 0x08);
    uint32_t packed = little32(p + 0x10);
    e->version_minor = little16(p + 0x18);
    e->version_major = little16(p + 0x1a);
    e->arch = little32(p + 0x1c);
    e->flags = little64(p + 0x28);
    e->unpacked_bytes = little64(p + 0x38);
    e->packing = e->flags & FLAG_ZSTD  ? STRATA_PACKED_ZSTD
                 : e->flags & FLAG_LZ4 ? STRATA_PACKED_LZ4
                                       : STRATA_PACKED_NOT;
    e->arch_suffix = e->flags & FLAG_ARCH ? 'a' : e->flags & FLAG_FAMILY ? 'f' : 0;
    e->payload = p + header_bytes;
    if (e->packing != STRATA_PACKED_NOT && packed && packed < e->stored_bytes)
        e->stored_bytes = packed; /* the rest is padding */
    uint32_t name_offset = little32(p + 0x20), name_bytes = little32(p + 0x24);
    if (name_offset && name_offset < header_bytes && name_bytes <= header_bytes - name_offset) {
        e->source_name = (const char *)p + name_offset;
        e->source_name_bytes = name_bytes;
    }
}

/* Entries of one container whose body is bytes [at, end). */
static strata_status read_entries(struct strata_fatbin *f, const uint8_t *bytes, uint64_t at,
                                  uint64_t end, const char *name, struct strata_error *err)
{
    while (end - at >= 8 && little16(bytes + at) != 0) {
        if (end - at < ENTRY_HEADER_BYTES)
            return damaged(err, name, at, "an entry is cut short");
        uint32_t header = little32(bytes + at + 4);
        uint64_t payload = little64(bytes + at + 8);
        if (header < ENTRY_HEADER_BYTES || header > end - at || payload > end - at - header)
            return damaged(err, name, at, "an entry is larger than its container");
        if (!ARRAY_RESERVE(f->entry, f->n_entries, f->cap_entries, 1))
            return strata_no_memory(err, name, "for the fatbin's entries");
        read_entry(bytes + at, header, &f->entry[f->n_entries++]);
        at += header + payload;
    }
    return STRATA_OK;
}

strata_status strata_fatbin_parse(const void *data, size_t length, const char *name,
                                  struct strata_fatbin **out, struct strata_error *err)
{
    const uint8_t *bytes = data;
    *out = NULL;
    struct strata_fatbin *f = calloc(1, sizeof *f);
    if (!f)
        return strata_no_memory(err, name, "for a fatbin");
    strata_status status = STRATA_OK;
    bool any = false;
    for (size_t at = 0; status == STRATA_OK && length - at >= 16;) {
        if (little32(bytes + at) != STRATA_FATBIN_MAGIC) {
            if (any && little64(bytes + at) == 0) { /* padding between containers of a section */
                at += 8;
                continue;
            }
            status = damaged(err, name, at, "no container starts here");
            break;
        }
        uint32_t header = little16(bytes + at + 6);
        uint64_t body = little64(bytes + at + 8);
        if (header < 16 || header > length - at || body > length - at - header)
            status = damaged(err, name, at, "the container is cut short");
        else
            status = read_entries(f, bytes, at + header, at + header + body, name, err);
        any = true;
        at += header + body;
    }
    if (status == STRATA_OK && !any)
        status = damaged(err, name, 0, "it is shorter than a header");
    if (status != STRATA_OK) {
        strata_fatbin_destroy(f);
        return status;
    }
    *out = f;
    return STRATA_OK;
}

void strata_fatbin_destroy(struct strata_fatbin *f)
{
    if (f)
        free(f->entry);
    free(f);
}

size_t strata_fatbin_count(const struct strata_fatbin *f)
{
    return f->n_entries;
}

const struct strata_fatbin_entry *strata_fatbin_get(const struct strata_fatbin *f, size_t i)
{
    return &f->entry[i];
}

static bool unpack(const struct strata_fatbin_entry *e, char *to, uint64_t bytes)
{
    if (e->packing == STRATA_PACKED_NOT) {
        memcpy(to, e->payload, bytes);
        return true;
    }
    if (e->packing == STRATA_PACKED_ZSTD)
        return ZSTD_decompress(to, bytes, e->payload, e->stored_bytes) == bytes;
    return lz4_block_unpack(e->payload, e->stored_bytes, (uint8_t *)to, bytes);
}

strata_status strata_fatbin_extract(const struct strata_fatbin_entry *e, const char *name,
                                    char **out, size_t *length, struct strata_error *err)
{
    uint64_t bytes = e->packing == STRATA_PACKED_NOT ? e->stored_bytes : e->unpacked_bytes;
    *out = NULL;
    if (bytes > MAX_UNPACKED_BYTES)
        return strata_fail(
            err, STRATA_ELIMIT, name, 0, 0,
            "a fatbin entry claims %llu bytes; the limit is %llu: the file is damaged.",
            (unsigned long long)bytes, (unsigned long long)MAX_UNPACKED_BYTES);
    char *to = malloc(bytes + 1);
    if (!to)
        return strata_no_memory(err, name, "to unpack %llu bytes of fatbin",
                                (unsigned long long)bytes);
    if (!unpack(e, to, bytes)) {
        free(to);
        return strata_fail(
            err, STRATA_EFORMAT, name, 0, 0,
            "the %s-packed fatbin entry for architecture %u does not unpack: it is damaged; "
            "build the program again.",
            e->packing == STRATA_PACKED_ZSTD ? "zstd" : "LZ4", e->arch);
    }
    to[bytes] = 0;
    *length = e->kind == STRATA_FATBIN_PTX ? strlen(to) : bytes;
    *out = to;
    return STRATA_OK;
}

strata_status fatbin_without_ptx(uint32_t cubin_arch, uint32_t lto_arch, const char *name,
                                 struct strata_error *err)
{
    if (lto_arch)
        return strata_fail(err, STRATA_EUNSUPPORTED, name, 0, 0,
                           "the program holds only link-time code for sm_%u (nvcc -dlto), no PTX; "
                           "build it without "
                           "-dlto and with -gencode arch=compute_%u,code=compute_%u.",
                           lto_arch, lto_arch, lto_arch);
    if (cubin_arch)
        return strata_fail(
            err, STRATA_EUNSUPPORTED, name, 0, 0,
            "the program holds machine code for sm_%u only, no PTX; build it with -gencode "
            "arch=compute_%u,code=compute_%u (code=compute_.. keeps the PTX).",
            cubin_arch, cubin_arch, cubin_arch);
    return strata_fail(
        err, STRATA_EUNSUPPORTED, name, 0, 0,
        "the program holds no GPU code; build it with nvcc -arch=sm_90, which keeps the PTX.");
}

static strata_status no_ptx(const struct strata_fatbin *f, const char *name,
                            struct strata_error *err)
{
    uint32_t cubin = 0, lto = 0;
    for (size_t i = 0; i < f->n_entries; i++) {
        if (f->entry[i].kind == STRATA_FATBIN_ELF && f->entry[i].arch > cubin)
            cubin = f->entry[i].arch;
        if (f->entry[i].kind == STRATA_FATBIN_LTO && f->entry[i].arch > lto)
            lto = f->entry[i].arch;
    }
    return fatbin_without_ptx(cubin, lto, name, err);
}

strata_status strata_fatbin_choose_ptx(const struct strata_fatbin *f, const char *name,
                                       const struct strata_fatbin_entry **out,
                                       struct strata_error *err)
{
    const struct strata_fatbin_entry *best = NULL;
    for (size_t i = 0; i < f->n_entries; i++) {
        const struct strata_fatbin_entry *e = &f->entry[i];
        if (e->kind != STRATA_FATBIN_PTX)
            continue;
        bool general = !e->arch_suffix, best_general = best && !best->arch_suffix;
        if (!best || general > best_general || (general == best_general && e->arch > best->arch))
            best = e;
    }
    *out = best;
    return best ? STRATA_OK : no_ptx(f, name, err);
}

const struct strata_fatbin_entry *strata_fatbin_choose_cubin(const struct strata_fatbin *f,
                                                             uint32_t sm_version)
{
    const struct strata_fatbin_entry *best = NULL;
    for (size_t i = 0; i < f->n_entries; i++) {
        const struct strata_fatbin_entry *e = &f->entry[i];
        if (e->kind != STRATA_FATBIN_ELF)
            continue;
        bool fits = e->arch <= sm_version, best_fits = best && best->arch <= sm_version;
        if (!best || fits > best_fits || (fits && best_fits && e->arch > best->arch) ||
            (!fits && !best_fits && e->arch < best->arch))
            best = e;
    }
    return best;
}
