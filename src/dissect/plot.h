/* plot.h - line plots as SVG: a few curves, axes with round numbers, nothing else. */
#ifndef STRATA_DISSECT_PLOT_H
#define STRATA_DISSECT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { PLOT_CURVES = 12, PLOT_POINTS = 2048 };

struct plot {
    char title[96], x_label[48], y_label[48];
    bool log_x;
    struct plot_curve {
        char name[48];
        double x[PLOT_POINTS], y[PLOT_POINTS];
        size_t n;
    } curve[PLOT_CURVES];
    size_t n_curves;
};

/* A point of the curve of that name, which is made when it is new; points in any order. Too many
 * curves or points are left out. */
void plot_add(struct plot *p, const char *curve, double x, double y);
/* Nothing is put if no curve has two points. */
void plot_put(struct plot *p, struct strata_text *out);

#endif
