/* The steps of a run of kind "lsm", as its journal has them. */
#include "harness/base/message.h"
#include "harness/kind/lsm/run.h"

/* ---- Where steps begin ---- */

bool fb_lsm_steps_has(const struct fb_lsm_steps *s, size_t i)
{
    for (size_t r = 0; r < s->e->n_readings; r++) {
        const size_t number = i * s->e->n_readings + r;
        if (fb_lsm_share(s->e, s->work->shard, &s->cells[number], number).any)
            return true;
    }
    return false;
}

bool fb_lsm_steps_may_begin(const struct fb_lsm_steps *s, size_t i)
{
    const struct fb_lsm_cell *cell = &s->cells[i * s->e->n_readings];
    const bool begins = fb_lsm_begins_group(s->e, cell->filter);
    const bool ends =
        cell->filter + 1 == s->e->n_filters || fb_lsm_begins_group(s->e, cell->filter + 1);
    return begins && (ends || cell->stream == 0);
}

enum fb_exit fb_lsm_steps_open(const struct fb_lsm *e, struct fb_work *work,
                               const struct fb_lsm_cell *cells, struct fb_lsm_steps *s)
{
    const size_t per_tree = e->n_filters * e->n_streams;
    bool open = false; /* a step has begun, which has something to do */
    *s = (struct fb_lsm_steps){.e = e, .work = work, .cells = cells, .per_tree = per_tree};
    for (size_t i = 0; i < e->n_trees * per_tree; i++) {
        const bool begins = e->timed ? i % per_tree == 0 : fb_lsm_steps_may_begin(s, i);
        open = open && !begins;
        if (!open && fb_lsm_steps_has(s, i)) {
            s->n++;
            open = true;
        }
    }
    s->n += e->device_folder != NULL;
    return fb_journal_expect(work->journal, s->n);
}

/* ---- Recalling and keeping ---- */

static size_t n_rows(const json_t *document)
{
    return json_array_size(json_object_get(document, "cells")) +
           json_array_size(json_object_get(document, "skipped"));
}

/* Behind the step at `begun`, which added so many rows. Where lookups are timed they tell how far
 * it went: memory decides. */
static size_t behind(const struct fb_lsm_steps *s, size_t begun, size_t n_rows)
{
    const size_t end = begun - begun % s->per_tree + s->per_tree;
    size_t i = begun, done = 0;
    do {
        done += fb_lsm_steps_has(s, i) ? s->e->n_readings : 0;
        i++;
    } while (i < end && (s->e->timed ? done < n_rows : !fb_lsm_steps_may_begin(s, i)));
    return i;
}

/* Where a timed step ends before its tree does, there is one more than was known. */
static enum fb_exit expect_rest(struct fb_lsm_steps *s, size_t end)
{
    bool more = false;
    for (size_t i = end; s->e->timed && i % s->per_tree; i++)
        more = more || fb_lsm_steps_has(s, i);
    s->n += more;
    return fb_journal_expect(s->work->journal, s->n);
}

/* Timing goes on to count its batches where the cells end that were recalled. */
static void count_batches(struct fb_lsm_steps *s)
{
    const json_t *cells = json_object_get(s->work->document, "cells");
    size_t i;
    json_t *cell;
    json_array_foreach((json_t *)cells, i, cell) {
        const json_t *batch = fb_json_at(cell, "timed.batch");
        if (batch)
            s->n_batches = (size_t)json_integer_value(batch) + 1;
    }
}

bool fb_lsm_steps_recall(struct fb_lsm_steps *s, size_t *i, enum fb_exit *code)
{
    const json_t *document = s->work->document;
    const size_t before = n_rows(document);
    if (!fb_work_recall(s->work, s->cells[*i * s->e->n_readings].id))
        return false;
    *i = behind(s, *i, n_rows(document) - before);
    count_batches(s);
    *code = expect_rest(s, *i);
    return true;
}

/* A tree that stands again has been warned of before. */
static void drop_repeated_warnings(const struct fb_work *work)
{
    json_t *warnings = json_object_get(work->document, "warnings");
    for (size_t i = json_array_size(warnings); i-- > 1;) {
        size_t j = 0;
        while (j < i && !json_equal(json_array_get(warnings, i), json_array_get(warnings, j)))
            j++;
        if (j < i)
            json_array_remove(warnings, i);
    }
}

enum fb_exit fb_lsm_steps_keep(struct fb_lsm_steps *s, size_t begun, size_t end)
{
    drop_repeated_warnings(s->work);
    const enum fb_exit code = expect_rest(s, end);
    return code ? code : fb_work_keep(s->work, s->cells[begun * s->e->n_readings].id);
}

/* ---- The device ---- */

enum fb_exit fb_lsm_steps_device(struct fb_lsm *e, struct fb_work *work)
{
    static const char step[] = "device";
    json_t *warnings = json_object_get(work->document, "warnings");
    if (!e->device_folder)
        return FB_EXIT_OK;
    if (fb_work_recall(work, step))
        return fb_lsm_take_device(e, fb_journal_find(work->journal, step))
                   ? FB_EXIT_OK
                   : fb_fail(e->name, FB_EINVAL, "the journal's device is not that measured");
    const size_t before = json_array_size(warnings);
    enum fb_exit code = fb_lsm_measure_device(e, work->document);
    if (code)
        return code;
    json_t *record = json_pack("{s:o, s:[]}", "devices", fb_lsm_devices(e), "warnings");
    for (size_t i = before; i < json_array_size(warnings); i++)
        json_array_append(json_object_get(record, "warnings"), json_array_get(warnings, i));
    code = fb_journal_add(work->journal, step, record);
    json_decref(record);
    return code;
}
