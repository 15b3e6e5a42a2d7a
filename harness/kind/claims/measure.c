/* Measuring the rows of a run: first what is counted, each row alone, then all times together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "harness/kind/claims/claims.h"
#include "harness/measure/noise.h"
#include "harness/work/turns.h"
#include "workloads/core/rng.h"

/* What an effort spends on times. An interval of 99 % takes 8 processes, the noise's memory 16. */
static const struct {
    size_t least; /* processes of a part; fb_effort_processes are the most */
    double budget_s;
} spent[] = {[FB_QUICK] = {8, 0}, [FB_DEFAULT] = {16, 60}, [FB_FULL] = {32, 200}};

enum { ROUNDS = 2, NO_PART = -1 };
#define MIN_BATCH_NS 1e6

/* The rows of a run, under one root. */
struct rows {
    struct fb_bench *bench;
    struct fb_judged *judged; /* [n] */
    size_t n, repeat;
    int *part;             /* [n]: that the row asked for; NO_PART: none */
    struct fb_turns turns; /* of times */
    struct fb_work *work;  /* to measure; NULL: to derive */
    enum fb_exit kept;     /* not FB_EXIT_OK: the journal could not be written, which was said */
    struct fb_progress *progress;
    uint64_t done;    /* of the progress, before times are measured, */
    double times_s;   /* and when that began */
    uint64_t waiting; /* progress that rows which have asked stand for */
    json_t *times;    /* what a document keeps of them, by root */
};

/* ---- Journal and shards ---- */

enum { STEP = 200 };

/* Of a row: the second root is another one. */
static const char *name_step(const struct rows *rows, const char *id, char step[STEP])
{
    snprintf(step, STEP, rows->repeat ? "%.180s, second root" : "%.180s", id);
    return step;
}

static const json_t *recall(const struct rows *rows, const char *id)
{
    char step[STEP];
    return rows->work ? fb_journal_find(rows->work->journal, name_step(rows, id, step)) : NULL;
}

/* Keeps what was counted of a row; false where the journal cannot be written. */
static bool record(struct rows *rows, const char *id, const json_t *facts)
{
    char step[STEP];
    if (!rows->work)
        return true;
    json_auto_t *found = json_pack("{s:O}", "facts", (json_t *)facts);
    rows->kept = fb_journal_add(rows->work->journal, name_step(rows, id, step), found);
    return !rows->kept;
}

bool fb_claims_has(struct fb_shard shard, const struct fb_judged *judged, size_t i, size_t n)
{
    const struct fb_claim *claim = judged[i].claim;
    return fb_shard_has(shard, claim->own || fb_claim_is_timed(claim) ? n : i);
}

/* ---- Times ---- */

/* A part is precise when more processes would hardly change the verdict of a row that asked for
 * it. */
static bool is_precise(void *arg, const struct fb_group *group, size_t part)
{
    struct rows *rows = arg;
    struct fb_finding found;
    (void)group;
    for (size_t i = 0; i < rows->n; i++) {
        const struct fb_claim *claim = rows->judged[i].claim;
        if (rows->part[i] == (int)part && claim->nature == FB_TIMED &&
            !fb_claim_find(rows->bench, claim, &found) &&
            !fb_finding_is_clear(&found, &claim->claimed))
            return false;
    }
    return true;
}

/* Of a row in the progress: milliseconds that it is likely to take. */
static uint64_t units_of(const struct fb_judged *judged)
{
    return (uint64_t)(1000 * judged->seconds);
}

/* In shares of the rows that wait, as if no part took more than the least processes. */
static void show(void *arg, const struct fb_group *group)
{
    struct rows *rows = arg;
    const double processes = (double)fb_group_processes(group);
    const double most = (double)(spent[rows->bench->effort].least * group->n_parts);
    char what[40];
    snprintf(what, sizeof what, "times, %.0f processes", processes);
    rows->progress->done =
        rows->done + (uint64_t)(fmin(1, processes / most) * (double)rows->waiting);
    /* Rows that count differ in what they take, but processes are much alike. */
    const double counted_s = rows->times_s - rows->progress->started_s,
                 times_s = (fb_seconds() - rows->times_s) * fmax(1, most / processes);
    if (rows->bench->effort != FB_FULL)
        rows->progress->expected_s = counted_s + times_s;
    fb_progress_add(rows->progress, 0, what);
}

static bool recall_turn(void *arg, size_t number, struct fb_turn *turn)
{
    return fb_turns_recall(&((struct rows *)arg)->turns, number, turn);
}

static bool keep_turn(void *arg, size_t number, const struct fb_turn *turn)
{
    return fb_turns_keep(&((struct rows *)arg)->turns, number, turn);
}

static enum fb_err measure_times(struct rows *rows)
{
    struct fb_bench *bench = rows->bench;
    const struct fb_group_watch watch = {.arg = rows,
                                         .recall = recall_turn,
                                         .keep = keep_turn,
                                         .progress = show,
                                         .precise = is_precise};
    const struct fb_group_options options = {.rounds = ROUNDS,
                                             .min_processes = spent[bench->effort].least,
                                             .max_processes = fb_effort_processes(bench->effort),
                                             .budget_s = spent[bench->effort].budget_s,
                                             .seed = bench->root,
                                             .cpu = fb_idlest_cpu(),
                                             .min_batch_ns = MIN_BATCH_NS,
                                             .quantum_ns =
                                                 fb_clock_quality(&fb_system_clock).quantum_ns};
    const char *why = NULL;
    if (bench->phase == FB_DERIVE) {
        const json_t *samples = json_array_get(bench->samples, rows->repeat);
        bool read = fb_times_read(&bench->times, samples, &why);
        return fb_bench_check(bench, read ? FB_OK : FB_EINVAL, "times", why);
    }
    rows->done = rows->progress->done;
    rows->times_s = fb_seconds();
    rows->turns = (struct fb_turns){.journal = rows->work ? rows->work->journal : NULL,
                                    .name = rows->repeat ? "times, second root" : "times"};
    enum fb_err err = fb_times_measure(&bench->times, &options, &watch, &why);
    rows->kept = rows->turns.code;
    if (fb_interrupted())
        fb_bench_interrupt(bench);
    return bench->interrupted ? FB_OK : fb_bench_check(bench, err, "times", why);
}

/* ---- Rows ---- */

static enum fb_err measure_row(struct rows *rows, size_t i)
{
    struct fb_judged *judged = &rows->judged[i];
    struct fb_finding *found = &judged->finding[rows->repeat];
    const struct fb_group *group = &rows->bench->times.group;
    bool timed = fb_claim_is_timed(judged->claim);
    enum fb_err err = (timed ? fb_claim_find : fb_claim_count)(rows->bench, judged->claim, found);
    if (err || rows->bench->interrupted)
        return err;
    if (rows->part[i] != NO_PART) {
        found->processes = group->parts[rows->part[i]].processes;
        found->cpu_clock = group->cpu_clock;
    } else if (!found->n) {
        rows->waiting += units_of(judged);
        rows->part[i] = (int)rows->bench->times.asked;
        return FB_OK;
    }
    judged->n_findings = rows->repeat + 1;
    return FB_OK;
}

/* Where the facts of a row stand, under this root. */
static json_t *facts_of(const struct rows *rows, size_t i)
{
    json_t *row = rows->judged[i].row;
    const bool derive = rows->bench->phase == FB_DERIVE;
    if (row && rows->repeat && !derive)
        json_object_set_new(row, "repeat", json_object());
    json_t *of = rows->repeat ? json_object_get(row, "repeat") : row;
    if (of && !derive)
        json_object_set_new(of, "facts", json_array());
    return json_object_get(of, "facts");
}

/* Measures a row, or derives it of what the journal has. */
static enum fb_err take_row(struct rows *rows, size_t i)
{
    struct fb_bench *bench = rows->bench;
    const char *id = rows->judged[i].claim->id;
    const enum fb_phase phase = bench->phase;
    const json_t *known = recall(rows, id);
    rows->part[i] = NO_PART;
    bench->facts = facts_of(rows, i);
    if (known) {
        json_array_extend(bench->facts, json_object_get(known, "facts"));
        bench->phase = FB_DERIVE;
    }
    enum fb_err err = measure_row(rows, i);
    bench->phase = phase;
    const bool found = !err && !bench->interrupted && rows->part[i] == NO_PART;
    if (found && !known && bench->facts && !record(rows, id, bench->facts))
        err = FB_EIO;
    return err;
}

/* Whether there is something to measure, or derive. The second root of an unfinished run may lack
 * rows of the first. */
static bool is_asked(const struct rows *rows, size_t i)
{
    const struct fb_judged *judged = &rows->judged[i];
    if (rows->work && !fb_claims_has(rows->work->shard, rows->judged, i, rows->n))
        return false;
    return judged->claim->procedure && (rows->bench->phase == FB_MEASURE || !rows->repeat ||
                                        json_object_get(judged->row, "repeat"));
}

static enum fb_err measure_rows(struct rows *rows)
{
    struct fb_bench *bench = rows->bench;
    enum fb_err err = FB_OK;
    rows->waiting = 0;
    for (size_t i = 0; i < rows->n && !err && !bench->interrupted; i++) {
        rows->part[i] = NO_PART;
        if (is_asked(rows, i))
            err = take_row(rows, i);
        fb_progress_add(rows->progress,
                        rows->part[i] == NO_PART && !rows->judged[i].claim->own
                            ? units_of(&rows->judged[i])
                            : 0,
                        rows->judged[i].claim->id);
    }
    bench->facts = NULL; /* times note none */
    if (!err && !bench->interrupted && bench->times.n)
        err = measure_times(rows);
    for (size_t i = 0; i < rows->n && !err && !bench->interrupted; i++)
        if (rows->part[i] != NO_PART)
            err = measure_row(rows, i);
    if (!err && !bench->interrupted && bench->times.n)
        json_array_append_new(rows->times, fb_times_json(&bench->times));
    return err;
}

/* Steps of one root, at least; of times as many processes as one part takes. */
static size_t count_steps(const struct rows *rows, size_t repeats)
{
    size_t steps = 0, processes = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const struct fb_claim *claim = rows->judged[i].claim;
        const bool asked = is_asked(rows, i), timed = fb_claim_is_timed(claim);
        processes = timed && asked ? spent[rows->bench->effort].least : processes;
        rows->progress->total += (claim->own ? 1 : repeats) * units_of(&rows->judged[i]);
        steps += (asked && !timed) || claim->own;
    }
    return steps + processes;
}

enum fb_err fb_claims_measure(struct fb_bench *bench, struct fb_judged *judged, size_t n,
                              json_t *times, struct fb_work *work, struct fb_progress *progress,
                              enum fb_exit *kept)
{
    const uint64_t root = bench->root;
    struct rows rows = {.bench = bench,
                        .judged = judged,
                        .n = n,
                        .work = work,
                        .progress = progress,
                        .times = times};
    const size_t repeats = bench->effort == FB_FULL ? 2 : 1;
    rows.part = calloc(n + 1, sizeof *rows.part);
    enum fb_err err = rows.part ? FB_OK : FB_ENOMEM;
    if (!err && work)
        rows.kept = fb_journal_expect(work->journal, repeats * count_steps(&rows, repeats));
    err = rows.kept ? FB_EIO : err;
    for (; rows.repeat < repeats && !err && !bench->interrupted; rows.repeat++) {
        if (rows.repeat) {
            fb_bench_close(bench);
            bench->root = fb_stream_key(root, FB_DOMAIN_TRIAL, rows.repeat);
            bench->repeat = (unsigned)rows.repeat;
        }
        err = measure_rows(&rows);
    }
    bench->root = root;
    bench->facts = NULL;
    *kept = rows.kept;
    free(rows.part);
    return err;
}
