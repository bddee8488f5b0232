/* where_ranges.c - the ranges of addresses that the driver maps for this process, by its own ioctl
 * calls as they pass: loaded with where_probe.cu. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <stdio.h>
#define MAX 4096
static struct {
    uint64_t base, len;
    unsigned req;
} R[MAX];
static int n;
int hook_count(void)
{
    return n;
}
void hook_range(int i, uint64_t *b, uint64_t *l, unsigned *r)
{
    *b = R[i].base;
    *l = R[i].len;
    *r = R[i].req;
}
static void add(uint64_t b, uint64_t l, unsigned r)
{
    if (n < MAX) {
        R[n].base = b;
        R[n].len = l;
        R[n].req = r;
        n++;
    }
}
int ioctl(int fd, unsigned long req, ...)
{
    static int (*real)(int, unsigned long, void *);
    va_list ap;
    va_start(ap, req);
    void *p = va_arg(ap, void *);
    va_end(ap);
    if (!real)
        real = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
    int rc = real(fd, req, p);
    if (p && (req == 33 || req == 73 || req == 66 || req == 65)) {
        uint64_t *q = p;
        add(q[0], q[1], (unsigned)req);
    }
    if (p && ((req >> 8) & 0xff) == 'F' &&
        (req & 0xff) == 0x57) { // map memory for the GPU: offset, length, flags, address
        uint64_t *q = p;
        add(q[5], q[3], 0x57); // handles 16 bytes, offset, length, flags, address
        add(q[6], q[3], 0x58); // newer drivers have two more flags before it
    }
    return rc;
}
