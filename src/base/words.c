/* words.c - how far a misspelt word is from one that is known. */
#include <string.h>

#include <strata/status.h>

#define LONGEST 64

size_t strata_word_distance(const char *a, const char *b, size_t limit)
{
    size_t n = strlen(a), m = strlen(b);
    size_t row[3][LONGEST + 1];
    /* Words cannot be nearer than their lengths: most keys are dismissed by that alone. */
    if (n > LONGEST || m > LONGEST || (n > m ? n - m : m - n) >= limit)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *before = row[(i + 2) % 3], *before2 = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
            best = before[j] + 1 < best ? before[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before2[j - 2] + 1 < best)
                best = before2[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}
