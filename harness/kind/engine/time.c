/*
 * How long an engine's Gets take: in laps as they come and in laps of equal work.
 *
 * A machine that others share is slow for moments, up to twice as slow as before. So laps come in
 * rounds, of each group of Gets and of a part of each stream, with a yardstick before and behind
 * them (yardstick.h). Rounds go on until enough had a yardstick near the quiet one
 * of this process; laps of others are dropped. Where a machine is never quiet, the best rounds are
 * kept, and the result says so.
 */
#include <math.h>
#include <stdlib.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/kind/engine/gets.h"
#include "harness/kind/engine/yardstick.h"
#include "harness/measure/clock.h"
#include "workloads/core/rng.h"

enum {
    LAP = 256,        /* Gets between two clock reads */
    MOST_GROUPS = 16, /* that are timed: keys beyond all tables, then those with the most keys */
    PARTS = 16,       /* of a stream: a round has one of them */
    QUIET = 16,       /* rounds that are wanted */
    MOST_ROUNDS = 96,
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

/* The part of a stream that a round has; of the mixture another one, since the blocks of the same
 * keys were just read. A stream of less than a lap is one lap. */
static enum fb_exit time_part(struct fb_asking *a, struct lap *lap, unsigned stream, unsigned round,
                              struct series *out)
{
    const struct fb_permutation order[] = {fb_asking_order(a, false), fb_asking_order(a, true)};
    const uint64_t coins = fb_stream_key(a->g->seed, FB_DOMAIN_QUERIES, UINT64_MAX);
    const uint64_t laps = fb_max_u64(1, a->g->queries / LAP),
                   part = (round + (stream == MIXED ? PARTS / 2 : 0)) % PARTS;
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
    uint64_t *queries; /* [n], owned */
    /* next: of queries, from the middle on, since the streams begin with the first of them, and
     * blocks that were just read are in the caches of the processor. */
    uint64_t n, next;
};

struct groups {
    struct group group[MOST_GROUPS];
    size_t n;
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

/* Keys beyond all tables, then groups of at least a lap, the largest first. */
static void choose(const struct fb_asking *a, struct groups *out)
{
    enum { MOST_SORTS = 4096 };
    struct group *sorts = calloc(MOST_SORTS, sizeof *sorts);
    const size_t n = sorts ? sort_out(a, sorts, MOST_SORTS) : 0;
    out->group[out->n++] = (struct group){.absent = true, .work = a->beyond, .n = a->n_work[true]};
    while (n && out->n < MOST_GROUPS) {
        struct group *most = sorts;
        for (size_t i = 1; i < n; i++)
            most = sorts[i].n > most->n ? &sorts[i] : most;
        if (most->n < LAP)
            break;
        struct group *g = &out->group[out->n++];
        *g = *most;
        g->next = g->n / 2;
        g->queries = malloc(g->n * sizeof *g->queries);
        most->n = 0;
    }
    free(sorts);
}

static bool fill(const struct fb_asking *a, struct group *g)
{
    uint64_t n = 0;
    for (uint64_t i = 0; g->queries && i < a->n_work[g->absent]; i++)
        if (is_same(a->work[g->absent][i], g->work))
            g->queries[n++] = i;
    return g->queries;
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

static enum fb_exit time_round(struct fb_asking *a, struct lap *lap, struct groups *all,
                               struct series series[SERIES], unsigned round)
{
    enum fb_exit code = FB_EXIT_OK;
    for (unsigned stream = 0; stream < STREAMS && !code; stream++)
        code = time_part(a, lap, stream, round, &series[stream]);
    for (size_t i = 0; i < all->n && !code; i++) {
        struct group *g = &all->group[i];
        const struct fb_permutation order = fb_asking_order(a, g->absent);
        for (lap->n = 0; lap->n < LAP; g->next = (g->next + 1) % g->n) {
            if (i)
                add_key(a, &order, g->absent, g->queries[g->next], lap);
            else
                add_beyond(lap);
        }
        code = run_lap(a, lap, round, &series[STREAMS + i]);
    }
    return code;
}

static enum fb_exit time_rounds(struct fb_asking *a, struct lap *lap, struct groups *all,
                                struct series series[SERIES], struct rounds *r)
{
    enum fb_exit code = FB_EXIT_OK;
    double before = fb_yardstick();
    while (r->n < MOST_ROUNDS && !code &&
           (r->n < QUIET || n_quiet(r, FB_GETS_QUIET * fb_yardstick_quiet()) < QUIET)) {
        code = time_round(a, lap, all, series, r->n);
        const double behind = fb_yardstick();
        r->yardstick[r->n++] = fmax(before, behind);
        before = behind;
    }
    return code;
}

/* ---- As JSON ---- */

/* What the slowest round that is kept took, over the quiet yardstick. */
static double slowest(const struct rounds *r, double limit)
{
    double most = 0;
    for (unsigned i = 0; i < r->n; i++)
        most = r->yardstick[i] <= limit ? fmax(most, r->yardstick[i]) : most;
    return fb_yardstick_quiet() > 0 ? fmax(1, most / fb_yardstick_quiet()) : 1;
}

/* In ns; of rounds within the limit. */
static json_t *laps_json(const struct series *s, const struct rounds *r, double limit)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n; i++)
        if (r->yardstick[s->laps[i].round] <= limit)
            json_array_append_new(list, json_real(round(1e3 * s->laps[i].ns) / 1e3));
    return list;
}

static void tell(json_t *cell, const struct groups *all, const struct series series[SERIES],
                 const struct rounds *r)
{
    const double limit = limit_of(r);
    json_t *times = json_object(), *groups = json_array();
    for (unsigned stream = 0; stream < STREAMS; stream++)
        json_object_set_new(times, streams[stream],
                            json_pack("{s:o}", "laps_ns", laps_json(&series[stream], r, limit)));
    for (size_t i = 0; i < all->n; i++) {
        const struct group *g = &all->group[i];
        json_array_append_new(
            groups,
            json_pack("{s:b, s:i, s:f, s:i, s:f, s:o, s:o}", "found", !g->absent, "checks",
                      g->work.checks, "cold_checks", (double)g->work.cold_checks / FB_COLD, "reads",
                      g->work.reads, "cold_reads", (double)g->work.cold_reads / FB_COLD, "keys",
                      fb_json_int(g->n), "ns", laps_json(&series[STREAMS + i], r, limit)));
    }
    json_object_set_new(cell, "times", times);
    json_object_set_new(cell, "groups", groups);
    json_object_set_new(cell, "rounds",
                        json_pack("{s:i, s:i, s:f, s:f}", "measured", (int)r->n, "kept",
                                  (int)n_quiet(r, limit), "slowest_share", slowest(r, limit),
                                  "yardstick_ns", fb_yardstick_quiet()));
}

static enum fb_exit time_in_turn(struct fb_asking *a, struct lap *lap, json_t *cell)
{
    struct groups all = {.n = 0};
    struct series series[SERIES] = {{0}};
    struct rounds rounds = {.n = 0};
    enum fb_exit code = FB_EXIT_OK;
    choose(a, &all);
    for (size_t i = 0; i < all.n && !code; i++)
        if (i && !fill(a, &all.group[i]))
            code = fb_fail(a->cell->id, FB_ENOMEM, NULL);
    if (!code)
        code = time_rounds(a, lap, &all, series, &rounds);
    if (!code)
        tell(cell, &all, series, &rounds);
    for (size_t i = 0; i < SERIES; i++)
        free(series[i].laps);
    for (size_t i = 0; i < all.n; i++)
        free(all.group[i].queries);
    return code;
}

enum fb_exit fb_gets_time(struct fb_asking *a, json_t *cell)
{
    struct lap *lap = calloc(1, sizeof *lap);
    if (lap)
        lap->bytes = malloc(LAP * fb_max_u64(a->g->space.max_len, FB_GETS_BEYOND));
    enum fb_exit code = lap && lap->bytes ? FB_EXIT_OK : fb_fail(a->cell->id, FB_ENOMEM, NULL);
    if (!code)
        code = time_in_turn(a, lap, cell);
    if (!code)
        code = fb_gets_time_singly(a, cell);
    if (lap)
        free(lap->bytes);
    free(lap);
    return code;
}
