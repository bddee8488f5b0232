/* sample_total.c - what a sample says of all launches, and how surely. */
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <strata/sample.h>

/* Where launches warm caches up before a run, they do so for one round of the program, not for all
 * that came before; and groups of one modelled launch show no spread. So much of what is estimated
 * is always part of the interval. */
#define LEAST_HALF_WIDTH 0.005

void strata_sample_results(const struct strata_sample *s, const struct strata_prediction *p,
                           const struct strata_result **out)
{
    size_t place = 0;
    for (size_t i = 0; i < s->n_launches; i++)
        out[i] = s->use[i] != STRATA_SAMPLE_LEFT_OUT ? &p->result[place++] : NULL;
    /* Launches that only warm up have an answer too, but it is another's that counts. */
    for (size_t i = 0; i < s->n_launches; i++)
        if (s->use[i] < STRATA_SAMPLE_STANDS)
            out[i] = out[s->stands_for[i]];
}

/* Mean and spread of a group's modelled launches, and how many launches they stand for. */
struct group {
    double n, picks, sum, squares;
};

static bool add_up_group(const struct strata_sample *s, const struct strata_prediction *p,
                         const char *metric, uint32_t g, struct group *out, double *exact)
{
    size_t place = 0;
    *out = (struct group){0};
    for (size_t i = 0; i < s->n_launches; i++) {
        bool modelled = s->use[i] != STRATA_SAMPLE_LEFT_OUT;
        double value = 0;
        if (s->group[i] == g) {
            if (s->use[i] >= STRATA_SAMPLE_STANDS &&
                (place >= p->n_results || !strata_result_get(&p->result[place], metric, &value)))
                return false;
            bool itself = s->use[i] == STRATA_SAMPLE_ITSELF;
            *exact += itself ? value : 0;
            out->n += !itself;
            if (s->use[i] == STRATA_SAMPLE_STANDS) {
                out->picks++;
                out->sum += value;
                out->squares += value * value;
            }
        }
        place += modelled;
    }
    return true;
}

bool strata_sample_estimate(const struct strata_sample *s, const struct strata_prediction *p,
                            const char *metric, struct strata_sample_total *out)
{
    double exact = 0, estimated = 0, variance = 0, freedom = 0, spread = 0;
    struct group g;
    for (uint32_t k = 0; k < s->n_groups; k++) {
        double unused = 0;
        if (!add_up_group(s, p, metric, k, &g, &unused))
            return false;
        if (g.picks < 2 || !(g.sum > 0))
            continue;
        double mean = g.sum / g.picks;
        spread += (g.squares - g.picks * mean * mean) / (mean * mean);
        freedom += g.picks - 1;
    }
    /* Groups with one modelled launch are taken to spread as the others do. */
    double relative = freedom > 0 && spread > 0 ? spread / freedom : 0;
    for (uint32_t k = 0; k < s->n_groups; k++) {
        if (!add_up_group(s, p, metric, k, &g, &exact) || !g.n || !g.picks)
            continue;
        double mean = g.sum / g.picks,
               square = g.picks > 1 ? (g.squares - g.picks * mean * mean) / (g.picks - 1)
                                    : relative * mean * mean;
        estimated += g.n * mean;
        variance += square > 0 ? g.n * g.n * square / g.picks * (1 - g.picks / g.n) : 0;
    }
    double t = freedom >= 1 ? gsl_cdf_tdist_Pinv(0.975, freedom) : 0;
    out->sum = exact + estimated;
    out->half_width = t * sqrt(variance) + LEAST_HALF_WIDTH * estimated;
    return true;
}
