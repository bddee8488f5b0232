/* plot.c - SVG by hand: the page must stand alone and needs no more than lines. */
#include "dissect/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 560, HEIGHT = 320, LEFT = 64, RIGHT = 130, TOP = 34, BOTTOM = 46 };

void plot_add(struct plot *p, const char *curve, double x, double y)
{
    size_t c = 0;
    while (c < p->n_curves && strcmp(p->curve[c].name, curve))
        c++;
    if (c == PLOT_CURVES)
        return;
    if (c == p->n_curves) {
        snprintf(p->curve[c].name, sizeof p->curve[c].name, "%s", curve);
        p->curve[c].n = 0;
        p->n_curves++;
    }
    struct plot_curve *k = &p->curve[c];
    if (k->n == PLOT_POINTS || !isfinite(x) || !isfinite(y) || (p->log_x && x <= 0))
        return;
    size_t i = k->n++;
    for (; i > 0 && k->x[i - 1] > x; i--) {
        k->x[i] = k->x[i - 1];
        k->y[i] = k->y[i - 1];
    }
    k->x[i] = x;
    k->y[i] = y;
}

struct range {
    double low, high;
};

static double place(const struct plot *p, const struct range *x, double value)
{
    double at = p->log_x ? log2(value / x->low) / log2(x->high / x->low)
                         : (value - x->low) / (x->high - x->low);
    return LEFT + at * (WIDTH - LEFT - RIGHT);
}

static double height(const struct range *y, double value)
{
    return HEIGHT - BOTTOM - (value - y->low) / (y->high - y->low) * (HEIGHT - TOP - BOTTOM);
}

/* 1, 2 or 5 times a power of ten, about five to the axis. */
static double round_step(double span)
{
    double step = pow(10, floor(log10(span / 5)));
    return span / step > 25 ? 5 * step : span / step > 10 ? 2 * step : step;
}

static void put_text(struct strata_text *out, double x, double y, const char *style,
                     const char *words)
{
    strata_text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    for (; *words; words++)
        if (*words == '<' || *words == '&')
            strata_text_put(out, *words == '<' ? "&lt;" : "&amp;");
        else
            strata_text_put_bytes(out, words, 1);
    strata_text_put(out, "</text>\n");
}

static void short_number(double value, char *out, size_t size)
{
    if (fabs(value) >= 1 << 20 && fmod(value, 1 << 20) == 0)
        snprintf(out, size, "%.0fM", value / (1 << 20));
    else if (fabs(value) >= 1024 && fmod(value, 1024) == 0)
        snprintf(out, size, "%.0fK", value / 1024);
    else
        snprintf(out, size, "%.6g", value);
}

static void put_axes(const struct plot *p, const struct range *x, const struct range *y,
                     struct strata_text *out)
{
    char number[32];
    double step = round_step(y->high - y->low);
    for (double v = ceil(y->low / step) * step; v <= y->high + 1e-9; v += step) {
        strata_text_printf(out,
                           "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                           LEFT, WIDTH - RIGHT, height(y, v), height(y, v));
        snprintf(number, sizeof number, "%.6g", v);
        put_text(out, LEFT - 6, height(y, v) + 4, "text-anchor=\"end\"", number);
    }
    step = round_step(x->high - x->low);
    uint32_t every = p->log_x ? (uint32_t)ceil(log2(x->high / x->low) / 8) : 1;
    for (double v = p->log_x ? x->low : ceil(x->low / step) * step; v <= x->high * (1 + 1e-12);
         v = p->log_x ? ldexp(v, (int)every) : v + step) {
        short_number(v, number, sizeof number);
        put_text(out, place(p, x, v), HEIGHT - BOTTOM + 16, "text-anchor=\"middle\"", number);
    }
    put_text(out, LEFT, 18, "class=\"title\"", p->title);
    put_text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8, "text-anchor=\"middle\"", p->x_label);
    put_text(out, 14, (TOP + HEIGHT - BOTTOM) / 2.0,
             "text-anchor=\"middle\" transform=\"rotate(-90 14 157)\"", p->y_label);
}

static bool ranges(const struct plot *p, struct range *x, struct range *y)
{
    bool any = false;
    *x = *y = (struct range){INFINITY, -INFINITY};
    y->low = 0;
    for (size_t c = 0; c < p->n_curves; c++) {
        any = any || p->curve[c].n > 1;
        for (size_t i = 0; i < p->curve[c].n; i++) {
            x->low = fmin(x->low, p->curve[c].x[i]);
            x->high = fmax(x->high, p->curve[c].x[i]);
            y->high = fmax(y->high, p->curve[c].y[i]);
        }
    }
    y->high = y->high > 0 ? 1.05 * y->high : 1;
    return any && x->high > x->low;
}

void plot_put(struct plot *p, struct strata_text *out)
{
    static const char *const colour[PLOT_CURVES] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                                    "#ff7f0e", "#8c564b", "#e377c2", "#7f7f7f",
                                                    "#bcbd22", "#17becf", "#393b79", "#637939"};
    struct range x, y;
    if (!ranges(p, &x, &y))
        return;
    strata_text_printf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
                       WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_axes(p, &x, &y, out);
    for (size_t c = 0; c < p->n_curves; c++) {
        strata_text_printf(
            out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"", colour[c]);
        for (size_t i = 0; i < p->curve[c].n; i++)
            strata_text_printf(out, "%.1f,%.1f ", place(p, &x, p->curve[c].x[i]),
                               height(&y, p->curve[c].y[i]));
        strata_text_put(out, "\"/>\n");
        double at = TOP + 14.0 * (double)c;
        strata_text_printf(out,
                           "<rect x=\"%d\" y=\"%.1f\" width=\"10\" height=\"3\" fill=\"%s\"/>\n",
                           WIDTH - RIGHT + 10, at - 4, colour[c]);
        put_text(out, WIDTH - RIGHT + 24, at, "", p->curve[c].name);
    }
    strata_text_put(out, "</svg>\n");
}
