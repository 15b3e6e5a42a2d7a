#include "harness/kind/advise/choose.h"

#include <math.h>
#include <string.h>

#include "workloads/core/rng.h"

/* How much more than the cheapest a pick may cost, and how much more memory than another pick the
 * present setting may take to stay. */
#define AS_CHEAP 1.05
#define AS_SMALL 1.02

/* ---- Costs ---- */

double fb_candidate_cpu(const struct fb_candidate *c, double absent)
{
    return c->cpu_scale * (c->walk_ns + c->check_ns * fb_outlook_asked(&c->outlook, absent));
}

double fb_candidate_reads(const struct fb_candidate *c, double absent)
{
    return c->reads_scale * fb_outlook_reads(&c->outlook, absent);
}

double fb_inputs_price(const struct fb_inputs *in)
{
    return in->price + in->price_per_ns * in->read_ns;
}

double fb_candidate_time(const struct fb_candidate *c, const struct fb_inputs *in)
{
    return fb_candidate_cpu(c, in->absent) + in->read_ns * fb_candidate_reads(c, in->absent);
}

static double cost_in(const struct fb_candidate *c, const struct fb_inputs *in,
                      const struct fb_noise *noise)
{
    double cpu = fb_candidate_cpu(c, in->absent), reads = fb_candidate_reads(c, in->absent);
    if (noise) {
        cpu += c->cpu_error * noise->cpu[c->filter];
        reads *= fmax(0, 1 + c->reads_error * noise->reads[c->filter]);
    }
    return cpu + in->read_ns * reads + fb_inputs_price(in) * c->outlook.bytes;
}

double fb_candidate_cost(const struct fb_candidate *c, const struct fb_inputs *in)
{
    return cost_in(c, in, NULL);
}

/* ---- The pick ---- */

static bool may_be(const struct fb_candidate *c, const struct fb_inputs *in, unsigned filter)
{
    return c->offered && c->outlook.bytes <= in->most_bytes && (!filter || c->filter == filter);
}

void fb_choose_front(const struct fb_evidence *e, const struct fb_inputs *in, unsigned filter,
                     struct fb_front *out)
{
    double best = INFINITY;
    out->n = 0;
    for (size_t i = 0; i < e->n; i++) {
        const double cost = fb_candidate_time(&e->at[i], in);
        if (!may_be(&e->at[i], in, filter) || !(cost < best))
            continue;
        best = cost;
        /* Of one size the best. */
        const bool same =
            out->n && e->at[out->at[out->n - 1]].outlook.bytes == e->at[i].outlook.bytes;
        out->n += !same && out->n < sizeof out->at / sizeof *out->at;
        out->at[out->n - 1] = i;
    }
}

/* The smallest that costs at most `most`, or e->n. */
static size_t smallest(const struct fb_evidence *e, const struct fb_inputs *in, unsigned filter,
                       const double *cost, double most)
{
    size_t found = e->n;
    for (size_t i = 0; i < e->n; i++) {
        const bool larger = found < e->n && e->at[i].outlook.bytes > e->at[found].outlook.bytes;
        if (larger)
            break;
        if (may_be(&e->at[i], in, filter) && cost[i] <= most &&
            (found == e->n || cost[i] < cost[found]))
            found = i;
    }
    return found;
}

/* Whether it may stay where `pick` would be chosen. */
static bool stays(const struct fb_evidence *e, const struct fb_inputs *in, size_t i, size_t pick,
                  const double *cost, double most)
{
    return i < e->n && may_be(&e->at[i], in, 0) && cost[i] <= most &&
           (fb_inputs_price(in) > 0 ||
            e->at[i].outlook.bytes <= AS_SMALL * e->at[pick].outlook.bytes);
}

size_t fb_choose(const struct fb_evidence *e, const struct fb_inputs *in, unsigned filter,
                 const struct fb_noise *noise)
{
    static _Thread_local double cost[FB_MOST_CANDIDATES];
    double least = INFINITY, own = INFINITY;
    size_t present = e->n;
    for (size_t i = 0; i < e->n; i++) {
        cost[i] = cost_in(&e->at[i], in, noise);
        if (may_be(&e->at[i], in, 0))
            least = fmin(least, cost[i]);
        if (may_be(&e->at[i], in, filter))
            own = fmin(own, cost[i]);
        if (e->at[i].present)
            present = i;
    }
    const bool priced = fb_inputs_price(in) > 0;
    const double most = AS_CHEAP * (own > AS_CHEAP * least ? own : least);
    const size_t pick = smallest(e, in, filter, cost, priced ? own : most);
    if (filter || present == e->n || pick == e->n)
        return pick;
    if (stays(e, in, present, pick, cost, most))
        return present;
    const size_t same = fb_choose(e, in, e->at[present].filter, noise);
    return stays(e, in, same, pick, cost, most) ? same : pick;
}

/* ---- Resamples ---- */

/* Words of one resample after another. */
struct words {
    uint64_t key, at;
};

static double uniform(struct words *w)
{
    return (double)(fb_stream_word(w->key, w->at++) >> 11) * 0x1p-53;
}

/* Nearly normal, and exact on every machine: the sum of twelve uniform numbers has variance 1. */
static double normal(struct words *w)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(w);
    return sum;
}

/* z standard errors from a value whose 95 % interval is given. */
static double off_by(double value, double low, double high, double z)
{
    return value + z / 1.96 * (z < 0 ? value - low : high - value);
}

static void resample(const struct fb_inputs *in, size_t number, struct fb_inputs *out,
                     struct fb_noise *noise)
{
    struct words w = {.key = fb_mix64(number + 1)};
    const double share = 2 * uniform(&w), z = normal(&w);
    *out = *in;
    out->absent = share < 1 ? in->low + share * (in->absent - in->low)
                            : in->absent + (share - 1) * (in->high - in->absent);
    out->read_ns = fmax(off_by(in->read_ns, in->read_low, in->read_high, z), in->read_ns / 16);
    for (size_t i = 0; i < FB_MOST_FILTERS; i++) {
        noise->cpu[i] = normal(&w);
        noise->reads[i] = normal(&w);
    }
}

double fb_choose_confidence(const struct fb_evidence *e, const struct fb_inputs *in, size_t pick)
{
    struct fb_inputs other;
    struct fb_noise noise;
    size_t good = 0;
    for (size_t k = 0; k < FB_RESAMPLES; k++) {
        resample(in, k, &other, &noise);
        double best = INFINITY;
        for (size_t i = 0; i < e->n; i++)
            if (may_be(&e->at[i], in, 0) &&
                (!e->at[pick].filter || e->at[i].outlook.bytes <= e->at[pick].outlook.bytes))
                best = fmin(best, cost_in(&e->at[i], &other, &noise));
        good += cost_in(&e->at[pick], &other, &noise) <= AS_CHEAP * best;
    }
    return (double)good / FB_RESAMPLES;
}

/* ---- Flips ---- */

struct fb_inputs fb_inputs_with(const struct fb_inputs *in, enum fb_input input, double value)
{
    struct fb_inputs out = *in;
    if (input == FB_INPUT_ABSENT) {
        out.absent = fmin(fmax(value, 0), 1);
        out.low = fmin(in->low, out.absent);
        out.high = fmax(in->high, out.absent);
    } else {
        out.read_ns = value;
        out.read_low = in->read_low * (value / in->read_ns);
        out.read_high = in->read_high * (value / in->read_ns);
    }
    return out;
}

static size_t choose_at(const struct fb_evidence *e, const struct fb_inputs *in,
                        enum fb_input input, double value)
{
    const struct fb_inputs other = fb_inputs_with(in, input, value);
    return fb_choose(e, &other, 0, NULL);
}

static bool differs(const struct fb_evidence *e, size_t a, size_t b, bool filters)
{
    return filters ? e->at[a].filter != e->at[b].filter : a != b;
}

/* The k-th value of the input away from where it is: reads are as much longer or shorter each time,
 * shares as much more or less. False: it ends here. */
enum { STEPS = 400 };
static bool step(const struct fb_inputs *in, enum fb_input input, bool above, int k, double *x)
{
    if (input == FB_INPUT_ABSENT) {
        *x = in->absent + (above ? k : -k) * 0.005;
        return *x > 0 && *x < 1;
    }
    *x = in->read_ns;
    for (int i = 0; i < k; i++)
        *x *= above ? 1.02 : 1 / 1.02;
    return k <= STEPS; /* a factor of 2700 */
}

/* Where between a and b, which have different picks, that of a ends; *next: the pick beyond. */
static double bisect(const struct fb_evidence *e, const struct fb_inputs *in, enum fb_input input,
                     bool filters, double a, double b, size_t *next)
{
    const size_t here = choose_at(e, in, input, a);
    for (int i = 0; i < 40; i++) {
        const double middle = (a + b) / 2;
        if (differs(e, choose_at(e, in, input, middle), here, filters))
            b = middle;
        else
            a = middle;
    }
    *next = choose_at(e, in, input, b);
    return (a + b) / 2;
}

/* In how many resamples the pick at x is not the one that it was before the flip. */
enum { DRAWS = 100, PLACES = 16 };
static unsigned count_others(const struct fb_evidence *e, const struct fb_inputs *in,
                             const struct fb_flip *f, bool filters, double x)
{
    unsigned n = 0;
    for (size_t d = 0; d < DRAWS; d++) {
        struct fb_inputs other;
        struct fb_noise noise;
        resample(in, d, &other, &noise);
        if (f->input == FB_INPUT_READ_NS)
            other = fb_inputs_with(&other, FB_INPUT_READ_NS, x);
        else
            other.absent = x;
        n += differs(e, fb_choose(e, &other, 0, &noise), f->before, filters);
    }
    return n;
}

/* The 90 % interval: from the flip on, in each direction to where nearly all resamples still have
 * the pick of before it, or have another. */
static void find_range(const struct fb_evidence *e, const struct fb_inputs *in, bool filters,
                       struct fb_flip *f)
{
    double ends[2] = {f->at, f->at};
    for (int up = 0; up < 2; up++)
        for (int k = 1; k <= PLACES; k++) {
            const double x = f->input == FB_INPUT_ABSENT
                                 ? fmin(fmax(f->at + (up ? 0.02 : -0.02) * k, 0), 1)
                                 : f->at * (up ? 1 + 0.1 * k : 1 / (1 + 0.1 * k));
            const unsigned n = count_others(e, in, f, filters, x);
            ends[up] = x;
            if (up == f->above ? n >= 0.95 * DRAWS : n <= 0.05 * DRAWS)
                break;
        }
    f->low = ends[0];
    f->high = ends[1];
}

bool fb_choose_flip(const struct fb_evidence *e, const struct fb_inputs *in, enum fb_input input,
                    bool above, bool filters, struct fb_flip *out)
{
    const double here = input == FB_INPUT_ABSENT ? in->absent : in->read_ns;
    const size_t pick = choose_at(e, in, input, here);
    double x, last = here;
    int k = 1;
    while (step(in, input, above, k, &x) &&
           !differs(e, choose_at(e, in, input, x), pick, filters)) {
        last = x;
        k++;
    }
    if (!step(in, input, above, k, &x))
        return false;
    *out = (struct fb_flip){.input = input, .above = above};
    out->at = bisect(e, in, input, filters, last, x, &out->next);
    out->before = choose_at(e, in, input, out->at * (above ? 0.98 : 1.02));
    out->after = choose_at(e, in, input, out->at * (above ? 1.02 : 0.98));
    find_range(e, in, filters, out);
    return true;
}
