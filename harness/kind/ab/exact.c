/* The exact facts of two plugins' designs: what must not differ at all. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "harness/check/contract.h"
#include "harness/check/parts.h"
#include "harness/document/compare.h"
#include "harness/kind/ab/ab.h"

/* ---- Points: what a design is asked for ---- */

/* One number goes from first to last, each time by x * factor + step. */
struct sweep {
    double first, last, factor, step;
    enum { NONE, BITS, RATE, PROBES, KEYS } varies;
    bool solved; /* also where the design takes the other of bits and rate */
    double bits, rate, keys;
};

/* A plan costs little: each step of a rule for probes, each border and power of two of keys. */
static const struct sweep plans[] = {
    {1, 64, 1, 1, BITS, .keys = 1000, .solved = true},
    {0.5, 1e-9, 0.25, 0, RATE, .keys = 1000, .solved = true},
    {1, 1e10, 10, 0, KEYS, .bits = 10, .solved = true},
    {1, 1e10, 10, 0, KEYS, .rate = 0.01, .solved = true},
    {0, 300, 1, 1, KEYS, .bits = 10},
    {0, 300, 1, 1, KEYS, .rate = 0.01},
    {300, 1e10, 1.01, 0, KEYS, .bits = 10},
    {300, 1e10, 1.01, 0, KEYS, .rate = 0.01},
    {256, 1e10, 2, 0, KEYS, .bits = 16},
    {0.01, 100, 1, 0.01, BITS, .keys = 100},
    {1.001, 100, 1, 1, BITS, .keys = 1000},
    {1, 1e6, 1.5, 0, BITS, .keys = 6e9},
    {0.999, 1e-12, 0.99, 0, RATE, .keys = 1000},
    {0.9, 1e-12, 0.7, 0, RATE, .keys = 6e9},
    {1, 64, 1, 1, PROBES, .bits = 10, .keys = 1000},
    {.varies = NONE},
};

/* Built, asked by every kernel in every way, written and read. */
static const struct sweep filters[] = {
    {2000, 2000, 1, 1, KEYS, .bits = 10, .solved = true},
    {1, 46, 1, 1, BITS, .keys = 1201},
    {0, 10, 1, 1, KEYS, .bits = 10, .solved = true},
    {15, 1e5, 1.7, 0, KEYS, .bits = 10, .solved = true},
    {1, 20000, 9, 0, KEYS, .rate = 0.01, .solved = true},
    {0.5, 64, 1.3, 0, BITS, .keys = 7},
    {0.5, 1e-9, 0.4, 0, RATE, .keys = 300},
    {.varies = NONE},
};

static const struct sweep contract[] = {{3000, 3000, 1, 1, KEYS, .bits = 10, .solved = true},
                                        {.varies = NONE}};

/* ---- Facts of a point ---- */

struct asked {
    const struct fb_design *design;  /* NULL: it is not in this plugin */
    const struct fb_format *formats; /* BASE's: one that only HEAD has is no difference */
    uint64_t seed;
    struct fb_params params; /* of the point */
    uint64_t n;
    bool solved;
    char facts[8000]; /* "name=value", line by line */
    size_t len;
};

/* Whether the design is asked for this point. Those of one size, and controls, are asked for
 * numbers of keys alone. Bits and rates have six digits, as in the point's name. */
static bool go_to(struct asked *a, const struct sweep *s, double x)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.6g", x);
    a->params = (struct fb_params){0};
    a->n = (uint64_t)(s->varies == KEYS ? x : s->keys);
    a->solved = s->solved;
    if (!fb_design_sized(a->design))
        return s->varies == KEYS;
    a->params.bits_per_key = s->varies == BITS ? strtod(digits, NULL) : s->bits;
    a->params.fpr = s->varies == RATE ? strtod(digits, NULL) : s->rate;
    a->params.probes = s->varies == PROBES ? (uint32_t)x : 0;
    return s->solved || !fb_params_derived(a->design, &a->params);
}

__attribute__((format(printf, 2, 3))) static void say(struct asked *a, const char *format, ...)
{
    const size_t room = sizeof a->facts - a->len;
    va_list args;
    va_start(args, format);
    a->len += fb_min_u64((size_t)vsnprintf(a->facts + a->len, room, format, args), room - 1);
    va_end(args);
}

static void say_answers(struct asked *a, const char *name, const char *wrong, uint64_t code)
{
    say(a, "%s=%s\n%s.answers=0x%016" PRIx64 "\n", name, *wrong ? wrong : "right", name, code);
}

static void ask_plan(struct asked *a)
{
    struct fb_filter f = {.design = a->design, .params = a->params, .n_keys = a->n};
    const struct fb_geometry *g = &f.geom;
    const char *why = NULL;
    const enum fb_err err = fb_params_plan(a->design, a->n, &f.params, &f.geom, &why);
    say(a, "refused=%s\n", !err ? "no" : why ? why : fb_err_text(err));
    if (err)
        return;
    say(a, "probes=%u\nfilter_bytes=%" PRIu64 "\nn_bits=%" PRIu64 "\nn_blocks=%" PRIu64 "\n",
        (unsigned)g->probes, g->n_bytes, g->n_bits, g->n_blocks);
    for (size_t i = 0; i < FB_OWN_WORDS && a->design->own && a->design->own[i]; i++)
        say(a, "%s=%" PRIu64 "\n", a->design->own[i], g->own[i]);
    for (const struct fb_format *to = a->formats; to && to->name; to++) {
        const struct fb_format *own = fb_format_find(a->design, to->name);
        say(a, "%s=%" PRIu64 "\n", to->name, own ? own->size(&f) : 0);
    }
    if (a->solved) /* ten digits: other compilers' mathematics may end otherwise */
        say(a, "bits_per_key=%.10g\nrate=%.10g\npredicted=%.10g\n", f.params.bits_per_key,
            f.params.fpr, a->design->fpr(g, a->n));
}

/* What kernels answer, not which there are. */
static void ask_filter(struct asked *a)
{
    struct fb_params params = a->params;
    struct fb_answers filter = {0};
    const char *why;
    (void)!fb_params_resolve(a->design, a->n, &params, &why); /* once: it may take long */
    fb_check_kernels_at(a->design, &params, a->n, a->seed, &filter);
    say_answers(a, "filter", filter.why, filter.fold);
    for (const struct fb_format *to = a->formats; to && to->name; to++) {
        const struct fb_format *own = fb_format_find(a->design, to->name);
        struct fb_answers block = {0};
        if (own)
            fb_check_format_at(a->design, own, &params, a->n, a->seed, &block);
        say_answers(a, to->name, block.why, block.fold);
    }
}

/* Digests, adds, removals, builds in steps, retries, blocks of any bytes. */
static void ask_contract(struct asked *a)
{
    const struct fb_contract_part *part;
    struct fb_answers digests = {0};
    fb_check_digests(a->design, &digests);
    say_answers(a, "digests", digests.why, digests.fold);
    for (size_t i = 0; (part = fb_contract_part_at(i)) && !fb_interrupted(); i++) {
        struct fb_contract_answer answer;
        fb_contract_ask(part, a->design, &answer);
        say_answers(a, part->name, answer.holds ? "" : answer.why, answer.code);
    }
}

/* ---- Cells: one aspect of one design, in both plugins ---- */

static const struct aspect {
    const char *name;
    const struct sweep *sweeps;
    void (*ask)(struct asked *);
} aspects[] = {{"plan", plans, ask_plan},
               {"filter", filters, ask_filter},
               {"contract", contract, ask_contract}};
enum { N_ASPECTS = sizeof aspects / sizeof *aspects };

struct work {
    uint64_t seed;
    json_t *(*cells)[2]; /* of aspect i % N_ASPECTS of design i / N_ASPECTS; NULL: none */
};

/* The facts of a point, and its name: "leveldb/plan/bpk=13/n=1000". */
static void set_facts(json_t *cell, struct asked *a)
{
    const double bits = a->params.bits_per_key, rate = a->params.fpr;
    char *rest = a->facts, name[100] = "";
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        line[strcspn(line, "=")] = '\0';
        json_object_set_new(cell, line, fb_json_text(line + strlen(line) + 1));
    }
    if (bits + rate > 0)
        snprintf(name, sizeof name, bits > 0 ? "/bpk=%.6g" : "/fpr=%.6g", bits + rate);
    if (a->params.probes)
        snprintf(name + strlen(name), 20, "/probes=%u", (unsigned)a->params.probes);
    json_object_set_new(cell, "id",
                        json_sprintf("%s%s/n=%" PRIu64, fb_json_str(cell, "id"), name, a->n));
}

static enum fb_err ask_design(void *arg, size_t number)
{
    const struct work *work = arg;
    const struct aspect *aspect = &aspects[number % N_ASPECTS];
    const struct fb_design *design = fb_design_at(number / N_ASPECTS);
    const char *name = strchr(design->name, ':');
    json_t **cells = work->cells[number];
    struct asked asked[2] = {{.formats = design->formats, .seed = work->seed},
                             {.formats = design->formats, .seed = work->seed}};
    uint64_t folds[2] = {0};
    bool equal = true;
    for (int side = 0; side < 2 && name; side++) {
        char full[80];
        snprintf(full, sizeof full, "%s%s", side ? "head" : "base", name);
        asked[side].design = fb_design_find(full);
    }
    if (design != asked[asked[0].design ? 0 : 1].design)
        return FB_OK; /* of another prefix; or HEAD's, which is asked with BASE's */
    for (int side = 0; side < 2; side++)
        if (asked[side].design)
            cells[side] =
                json_pack("{s:o, s:s}", "id", json_sprintf("%s/%s", name + 1, aspect->name),
                          "design", name + 1);
    for (const struct sweep *s = aspect->sweeps; s->varies; s++)
        for (double x = s->first;
             (s->factor < 1 ? x >= s->last : x <= s->last) && !fb_interrupted();
             x = x * s->factor + s->step) {
            for (int side = 0; side < 2; side++) {
                struct asked *a = &asked[side];
                a->facts[a->len = 0] = '\0';
                if (a->design && go_to(a, s, x))
                    aspect->ask(a);
                folds[side] = fb_xxh64(a->facts, a->len, folds[side]);
            }
            if (!equal || !cells[0] || !cells[1] || !strcmp(asked[0].facts, asked[1].facts))
                continue;
            equal = false;
            set_facts(cells[0], &asked[0]);
            set_facts(cells[1], &asked[1]);
        }
    for (int side = 0; side < 2; side++)
        json_object_set_new(cells[side], "checksum", fb_json_word(folds[side]));
    return FB_OK;
}

json_t *fb_ab_exact(uint64_t seed, unsigned n_threads)
{
    const size_t n = fb_n_designs() * N_ASPECTS;
    struct work work = {seed, calloc(n, sizeof *work.cells)};
    json_t *sides[2] = {json_array(), json_array()};
    bool complete = false;
    const enum fb_err err =
        work.cells ? fb_parallel_for(n, n_threads, ask_design, &work, &complete) : FB_ENOMEM;
    for (size_t i = 0; i < 2 * n && work.cells; i++)
        if (work.cells[i / 2][i % 2])
            json_array_append_new(sides[i % 2], work.cells[i / 2][i % 2]);
    free(work.cells);
    json_t *exact =
        json_pack("{s:{s:o}, s:{s:o}}", "base", "cells", sides[0], "head", "cells", sides[1]);
    if (!err && complete)
        return exact;
    json_decref(exact);
    return NULL;
}

void fb_ab_exact_derive(json_t *exact)
{
    json_auto_t *report =
        fb_compare(json_object_get(exact, "base"), json_object_get(exact, "head"));
    json_object_update(exact, report);
}

enum fb_exit fb_ab_exact_judge(const json_t *exact)
{
    return fb_compare_judge("ab", exact, "cells of exact facts");
}
