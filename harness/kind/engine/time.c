/*
 * How long an engine's Gets take: in laps as they come and in laps of equal work.
 *
 * A machine that others share is slow for moments, and one database is faster than another of the
 * same content by where it happens to lie. So cells are visited in turn, several times, and each
 * visit opens the database anew. A visit has rounds of laps, of each group of Gets and of a part of
 * each stream, with a yardstick before and behind them (yardstick.h). Rounds go on until enough had
 * a yardstick near the quiet one of this process; laps of others are dropped. Where a machine is
 * never quiet, the best rounds are kept, and the result says so. Of each visit counts the median
 * of its laps.
 */
#include <math.h>
#include <stdlib.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/kind/engine/gets.h"
#include "harness/kind/engine/yardstick.h"
#include "harness/measure/clock.h"
#include "harness/stats/paired.h"
#include "workloads/core/rng.h"

enum {
    LAP = 256,        /* Gets between two clock reads */
    MOST_GROUPS = 16, /* that are timed: keys beyond all tables, then those with the most keys */
    PARTS = 16,       /* of a stream: a round has one of them */
    QUIET = 2,        /* rounds of a visit that are wanted */
    MOST_ROUNDS = 4,
    MOST_KEYS = LAP * MOST_ROUNDS * FB_GETS_VISITS, /* of a group, that are asked for */
    /* The streams of present and absent keys, and of both mixed; then the groups. */
    MIXED = 2,
    STREAMS,
    SERIES = STREAMS + MOST_GROUPS
};
static const char *const streams[STREAMS] = {"present", "absent", "mixed"};

/* The keys of a lap, one behind the other. */
struct lap {
    uint8_t *bytes; /* [LAP * max_len], owned */
    size_t offset[LAP + 1];
    uint64_t query[LAP];
    bool absent[LAP];
    size_t n;
};

static uint64_t now(void)
{
    const struct fb_clock *clock = &fb_system_clock;
    return clock->wall_ns(clock->self);
}

/* Where the next key of the lap begins. */
static size_t begin_key(struct lap *lap, bool absent, uint64_t query)
{
    const size_t at = lap->n ? lap->offset[lap->n] : 0;
    lap->offset[lap->n] = at;
    lap->query[lap->n] = query;
    lap->absent[lap->n] = absent;
    return at;
}

static void add_key(const struct fb_asking *a, const struct fb_permutation *order, bool absent,
                    uint64_t query, struct lap *lap)
{
    const size_t at = begin_key(lap, absent, query);
    lap->offset[++lap->n] = at + fb_asking_key(a, order, absent, query, lap->bytes + at);
}

/* Laps of one group or stream. */
struct series {
    struct timed {
        double ns; /* of a Get */
        unsigned round;
    } * laps; /* [room], owned */
    size_t n, room;
};

static bool keep(struct series *s, double ns, unsigned round)
{
    if (s->n == s->room) {
        const size_t room = 2 * s->room + 64;
        struct timed *laps = realloc(s->laps, room * sizeof *laps);
        if (!laps)
            return false;
        s->laps = laps;
        s->room = room;
    }
    s->laps[s->n++] = (struct timed){ns, round};
    return true;
}

static enum fb_exit run_lap(struct fb_asking *a, const struct lap *lap, unsigned round,
                            struct series *out)
{
    const struct fb_engine_driver *driver = a->g->driver;
    enum fb_engine_answer answer = FB_ENGINE_FAILED;
    size_t i = 0;
    bool right = true;
    const uint64_t start = now();
    while (i < lap->n && right) {
        const size_t at = lap->offset[i];
        answer = driver->get(a->db, lap->bytes + at, lap->offset[i + 1] - at, &a->why);
        right = answer == (lap->absent[i++] ? FB_ENGINE_NOT_FOUND : FB_ENGINE_FOUND);
    }
    const uint64_t spent = now() - start;
    if (!keep(out, (double)spent / (double)lap->n, round))
        return fb_fail(a->cell->id, FB_ENOMEM, NULL);
    const enum fb_exit code = fb_asking_check(a, lap->absent[i - 1], lap->query[i - 1], answer);
    return !code && fb_interrupted() ? FB_EXIT_INTERRUPTED : code;
}

/* ---- A stream, as it comes ---- */

/* A part of a stream, `number` modulo all; of the mixture another one, since the blocks of the same
 * keys were just read. A stream of less than a lap is one lap. */
static enum fb_exit time_part(struct fb_asking *a, struct lap *lap, unsigned stream,
                              unsigned number, unsigned round, struct series *out)
{
    const struct fb_permutation order[] = {fb_asking_order(a, false), fb_asking_order(a, true)};
    const uint64_t coins = fb_stream_key(a->g->seed, FB_DOMAIN_QUERIES, UINT64_MAX);
    const uint64_t laps = fb_max_u64(1, a->g->queries / LAP),
                   part = (number + (stream == MIXED ? PARTS / 2 : 0)) % PARTS;
    const uint64_t end = fb_max_u64(laps * (part + 1) / PARTS, laps < PARTS);
    enum fb_exit code = FB_EXIT_OK;
    for (uint64_t l = laps < PARTS ? 0 : laps * part / PARTS; l < end && !code; l++) {
        for (lap->n = 0; lap->n < fb_min_u64(LAP, a->g->queries);) {
            const uint64_t i = l * LAP + lap->n;
            const double coin = (double)(fb_stream_word(coins, i) >> 11) * 0x1p-53;
            const bool absent = stream == MIXED ? coin < a->g->absent : stream;
            add_key(a, &order[absent], absent, i, lap);
        }
        code = run_lap(a, lap, round, out);
    }
    return code;
}

/* ---- Groups of Gets that do the same work ---- */

struct group {
    bool absent;
    struct fb_gets_work work;
    uint64_t n;        /* keys that do so */
    uint64_t *queries; /* [n_queries], owned: those that are asked for in turn */
    uint64_t n_queries, next;
};

struct fb_timing {
    struct group group[MOST_GROUPS];
    size_t n_groups;
    double ns[SERIES][FB_GETS_VISITS]; /* of a Get, in each visit */
    unsigned n_visits, measured, kept;
    double slowest; /* round that is kept, over the quiet yardstick; at least 1 */
};

static bool is_same(struct fb_gets_work a, struct fb_gets_work b)
{
    return a.checks == b.checks && a.reads == b.reads && a.cold_checks == b.cold_checks &&
           a.cold_reads == b.cold_reads;
}

static void add_beyond(struct lap *lap)
{
    const size_t at = begin_key(lap, true, lap->n);
    const size_t len = fb_asking_beyond(lap->n, lap->bytes + at);
    lap->offset[++lap->n] = at + len;
}

/* All sorts of Gets there are, up to n, each with the number of its keys. */
static size_t sort_out(const struct fb_asking *a, struct group *sorts, size_t most)
{
    size_t n = 0;
    for (unsigned absent = 0; absent < 2; absent++)
        for (uint64_t i = 0; i < a->n_work[absent]; i++) {
            const struct fb_gets_work work = a->work[absent][i];
            size_t at = 0;
            while (at < n && !(sorts[at].absent == absent && is_same(sorts[at].work, work)))
                at++;
            if (at == n && n < most)
                sorts[n++] = (struct group){.absent = absent, .work = work};
            if (at < n)
                sorts[at].n++;
        }
    return n;
}

/* Those of the keys of the group that are asked for: from the middle on, since the streams begin
 * with the first of them, and blocks that were just read are in the caches of the processor. */
static bool fill(const struct fb_asking *a, struct group *g)
{
    uint64_t at = 0;
    g->n_queries = fb_min_u64(g->n, MOST_KEYS);
    g->queries = malloc(g->n_queries * sizeof *g->queries);
    for (uint64_t i = 0; g->queries && i < a->n_work[g->absent]; i++) {
        if (!is_same(a->work[g->absent][i], g->work))
            continue;
        const uint64_t place = (at++ + g->n - g->n / 2) % g->n;
        if (place < g->n_queries)
            g->queries[place] = i;
    }
    return g->queries;
}

/* Keys beyond all tables, then groups of at least a lap, the largest first. */
static bool choose(const struct fb_asking *a, struct fb_timing *out)
{
    enum { MOST_SORTS = 4096 };
    struct group *sorts = calloc(MOST_SORTS, sizeof *sorts);
    const size_t n = sorts ? sort_out(a, sorts, MOST_SORTS) : 0;
    bool done = sorts;
    out->group[out->n_groups++] =
        (struct group){.absent = true, .work = a->beyond, .n = a->n_work[true]};
    while (n && done && out->n_groups < MOST_GROUPS) {
        struct group *most = sorts;
        for (size_t i = 1; i < n; i++)
            most = sorts[i].n > most->n ? &sorts[i] : most;
        if (most->n < LAP)
            break;
        struct group *g = &out->group[out->n_groups++];
        *g = *most;
        done = fill(a, g);
        most->n = 0;
    }
    free(sorts);
    return done;
}

/* ---- Rounds ---- */

struct rounds {
    double yardstick[MOST_ROUNDS]; /* of each the slower one of two */
    unsigned n;
};

static unsigned n_quiet(const struct rounds *r, double limit)
{
    unsigned n = 0;
    for (unsigned i = 0; i < r->n; i++)
        n += r->yardstick[i] <= limit;
    return n;
}

/* Up to which yardstick rounds count: that of quiet ones, or, where these are too few, of the best.
 */
static double limit_of(const struct rounds *r)
{
    double limit = FB_GETS_QUIET * fb_yardstick_quiet();
    while (n_quiet(r, limit) < (r->n < QUIET ? r->n : QUIET)) {
        double next = INFINITY;
        for (unsigned i = 0; i < r->n; i++)
            if (r->yardstick[i] > limit)
                next = fmin(next, r->yardstick[i]);
        limit = next;
    }
    return limit;
}

static enum fb_exit time_round(struct fb_asking *a, struct fb_timing *t, struct lap *lap,
                               struct series series[SERIES], unsigned round)
{
    const unsigned part = t->n_visits * QUIET + round;
    enum fb_exit code = FB_EXIT_OK;
    for (unsigned stream = 0; stream < STREAMS && !code; stream++)
        code = time_part(a, lap, stream, part, round, &series[stream]);
    for (size_t i = 0; i < t->n_groups && !code; i++) {
        struct group *g = &t->group[i];
        const struct fb_permutation order = fb_asking_order(a, g->absent);
        for (lap->n = 0; lap->n < LAP;) {
            if (!i) {
                add_beyond(lap);
                continue;
            }
            add_key(a, &order, g->absent, g->queries[g->next], lap);
            g->next = (g->next + 1) % g->n_queries;
        }
        code = run_lap(a, lap, round, &series[STREAMS + i]);
    }
    return code;
}

static enum fb_exit time_rounds(struct fb_asking *a, struct fb_timing *t, struct lap *lap,
                                struct series series[SERIES], struct rounds *r)
{
    enum fb_exit code = FB_EXIT_OK;
    double before = fb_yardstick();
    while (r->n < MOST_ROUNDS && !code &&
           (r->n < QUIET || n_quiet(r, FB_GETS_QUIET * fb_yardstick_quiet()) < QUIET)) {
        code = time_round(a, t, lap, series, r->n);
        const double behind = fb_yardstick();
        r->yardstick[r->n++] = fmax(before, behind);
        before = behind;
    }
    return code;
}

/* ---- Visits ---- */

/* The median of the laps of rounds within the limit. */
static double median_of(const struct series *s, const struct rounds *r, double limit, double *spare)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (r->yardstick[s->laps[i].round] <= limit)
            spare[n++] = s->laps[i].ns;
    return fb_median(spare, n);
}

/* Keeps what the rounds of a visit say. */
static bool keep_visit(struct fb_timing *t, const struct series series[SERIES],
                       const struct rounds *r)
{
    const double limit = limit_of(r), quiet = fb_yardstick_quiet();
    size_t most = 1;
    for (size_t i = 0; i < STREAMS + t->n_groups; i++)
        most = series[i].n > most ? series[i].n : most;
    double *spare = malloc(most * sizeof *spare);
    for (size_t i = 0; spare && i < STREAMS + t->n_groups; i++)
        t->ns[i][t->n_visits] = median_of(&series[i], r, limit, spare);
    for (unsigned i = 0; i < r->n; i++)
        if (r->yardstick[i] <= limit && quiet > 0)
            t->slowest = fmax(t->slowest, r->yardstick[i] / quiet);
    t->measured += r->n;
    t->kept += n_quiet(r, limit);
    t->n_visits++;
    free(spare);
    return spare;
}

enum fb_exit fb_timing_open(struct fb_asking *a, struct fb_timing **out)
{
    struct fb_timing *t = *out = calloc(1, sizeof *t);
    if (!t)
        return fb_fail(a->cell->id, FB_ENOMEM, NULL);
    t->slowest = 1;
    return choose(a, t) ? FB_EXIT_OK : fb_fail(a->cell->id, FB_ENOMEM, NULL);
}

enum fb_exit fb_timing_visit(struct fb_timing *t, struct fb_asking *a)
{
    struct lap *lap = calloc(1, sizeof *lap);
    struct series series[SERIES] = {{0}};
    struct rounds rounds = {.n = 0};
    if (lap)
        lap->bytes = malloc(LAP * fb_max_u64(a->g->space.max_len, FB_GETS_BEYOND));
    enum fb_exit code = lap && lap->bytes ? FB_EXIT_OK : fb_fail(a->cell->id, FB_ENOMEM, NULL);
    if (!code)
        code = time_rounds(a, t, lap, series, &rounds);
    if (!code && !keep_visit(t, series, &rounds))
        code = fb_fail(a->cell->id, FB_ENOMEM, NULL);
    for (size_t i = 0; i < SERIES; i++)
        free(series[i].laps);
    if (lap)
        free(lap->bytes);
    free(lap);
    return code;
}

void fb_timing_close(struct fb_timing *t)
{
    for (size_t i = 0; t && i < t->n_groups; i++)
        free(t->group[i].queries);
    free(t);
}

/* ---- As JSON ---- */

/* Of each visit, in ns. */
static json_t *visits_json(const struct fb_timing *t, size_t series)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < t->n_visits; i++)
        json_array_append_new(list, json_real(round(1e3 * t->ns[series][i]) / 1e3));
    return list;
}

void fb_timing_tell(const struct fb_timing *t, json_t *cell)
{
    json_t *times = json_object(), *groups = json_array();
    for (unsigned stream = 0; stream < STREAMS; stream++)
        json_object_set_new(times, streams[stream],
                            json_pack("{s:o}", "laps_ns", visits_json(t, stream)));
    for (size_t i = 0; i < t->n_groups; i++) {
        const struct group *g = &t->group[i];
        json_array_append_new(
            groups,
            json_pack("{s:b, s:i, s:f, s:i, s:f, s:o, s:o}", "found", !g->absent, "checks",
                      g->work.checks, "cold_checks", (double)g->work.cold_checks / FB_COLD, "reads",
                      g->work.reads, "cold_reads", (double)g->work.cold_reads / FB_COLD, "keys",
                      fb_json_int(g->n), "ns", visits_json(t, STREAMS + i)));
    }
    json_object_set_new(cell, "times", times);
    json_object_set_new(cell, "groups", groups);
    json_object_set_new(cell, "rounds",
                        json_pack("{s:i, s:i, s:f, s:f}", "measured", (int)t->measured, "kept",
                                  (int)t->kept, "slowest_share", t->slowest, "yardstick_ns",
                                  fb_yardstick_quiet()));
}
