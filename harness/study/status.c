/* How far a study is. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/json.h"
#include "harness/study/study.h"
#include "harness/work/journal.h"

/* ---- Shards ---- */

/* What is there of a shard; false with a line on stderr. */
static bool look(const struct fb_study *study, unsigned shard, json_t *rows)
{
    char path[FB_STUDY_PATH];
    struct fb_journal_state at = {0};
    json_t *document = NULL, *row = json_pack("{s:i}", "shard", (int)shard);
    const char *state = "waiting";
    fb_study_shard_path(study, shard, path);
    const bool done = !access(path, F_OK);
    bool read = done ? !fb_json_load(path, &document) : fb_journal_look(path, &at);
    if (done)
        state = "done";
    else if (at.exists)
        state = at.running ? "running" : "failed";
    json_object_set_new(row, "state", json_string(state));
    fb_json_known(row, "steps", at.exists ? fb_json_int(at.done) : NULL, state);
    fb_json_known(row, "of_steps", at.steps ? fb_json_int(at.steps) : NULL, state);
    fb_json_known(row, "elapsed_s",
                  done        ? json_real(fb_json_num(document, "run.elapsed_s"))
                  : at.exists ? json_real(at.elapsed_s)
                              : NULL,
                  state);
    json_array_append_new(rows, row);
    json_decref(document);
    json_decref(at.header);
    return read;
}

/* ---- Time left ---- */

/* Seconds of a whole shard like this one; NaN: it does not tell. */
static double whole_s(const json_t *row)
{
    const double elapsed_s = fb_json_num(row, "elapsed_s"), steps = fb_json_num(row, "steps");
    if (!strcmp(fb_json_str(row, "state"), "done"))
        return elapsed_s;
    return steps > 0 ? elapsed_s / steps * fmax(steps, fb_json_num(row, "of_steps")) : NAN;
}

/* "left_s" of each row; of a shard without finished steps as much as the others take on average.
 * Returns the sum; NaN where nothing tells. */
static double estimate(const json_t *rows)
{
    double sum_s = 0, n = 0, left_s = 0;
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row) {
        if (isfinite(whole_s(row))) {
            sum_s += whole_s(row);
            n++;
        }
    }
    json_array_foreach((json_t *)rows, i, row) {
        const bool done = !strcmp(fb_json_str(row, "state"), "done");
        const double its_s =
            isfinite(whole_s(row)) ? whole_s(row) - fb_json_num(row, "elapsed_s") : sum_s / n;
        fb_json_real(row, "left_s", done ? 0 : its_s, "no finished step tells");
        left_s += done ? 0 : its_s;
    }
    return left_s;
}

json_t *fb_study_status(const struct fb_study *study)
{
    static const char *const states[] = {"done", "running", "failed", "waiting"};
    json_t *rows = json_array(), *status = json_pack("{s:i}", "shards", (int)study->shards), *row;
    json_int_t count[4] = {0};
    bool read = true;
    for (unsigned s = 1; s <= study->shards && read; s++)
        read = look(study, s, rows);
    const double left_s = estimate(rows);
    size_t i;
    json_array_foreach(rows, i, row) {
        for (size_t s = 0; s < 4; s++)
            count[s] += !strcmp(fb_json_str(row, "state"), states[s]);
    }
    for (size_t s = 0; s < 4; s++)
        json_object_set_new(status, states[s], json_integer(count[s]));
    /* As many at a time as run now. */
    fb_json_real(status, "left_s", left_s / fmax(1, (double)count[1]), "no finished step tells");
    json_object_set_new(status, "rows", rows);
    if (read)
        return status;
    json_decref(status);
    return NULL;
}
