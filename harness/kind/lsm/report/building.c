#include "harness/kind/lsm/report/report.h"

#include <math.h>
#include <string.h>

#include "filters/core/bits.h"
#include "harness/store/rewrites.h"

/* ---- The levels of a cell ---- */

/* Of a level on disk, from the runs that it has. */
struct level {
    uint64_t number, filter_keys, units;
    double keys, bytes;
    bool filtered;
};

static uint64_t whole(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

/* Newest first; returns how many. */
static size_t levels_of(const json_t *cell, struct level levels[FB_MAX_RUNS])
{
    size_t n = 0;
    uint64_t most_keys = 0;
    FB_EACH_AT(i, run, json_object_get(cell, "runs")) {
        const uint64_t number = whole(run, "level"), keys = whole(run, "keys");
        const bool filtered = json_is_integer(json_object_get(run, "probes"));
        if (i >= FB_MAX_RUNS || json_is_true(json_object_get(run, "memtable")))
            continue;
        if (!n || levels[n - 1].number != number) {
            levels[n++] = (struct level){.number = number};
            most_keys = 0;
        }
        struct level *level = &levels[n - 1];
        level->keys += (double)keys;
        level->bytes += fb_json_num(run, "bytes");
        level->units += filtered ? whole(run, "units") : 0;
        level->filtered |= filtered;
        if (keys > most_keys)
            level->filter_keys = fb_divide_up(keys, fb_max_u64(whole(run, "units"), 1));
        most_keys = fb_max_u64(most_keys, keys);
    }
    return n;
}

static enum fb_style style_of(const json_t *cell)
{
    const char *name = fb_json_str(cell, "tree.style");
    enum fb_style style = FB_LEVELED;
    while (style < FB_FLAT && strcmp(fb_styles[style].name, name) != 0)
        style++;
    return style;
}

static const char by_trace[] = "a trace's merges are counted together";

/* Of each level; NaN where the tree is a trace's. */
static void rewrites_of(const json_t *cell, const struct level *levels, size_t n,
                        struct fb_rewrites out[FB_MAX_RUNS])
{
    struct fb_rewritten_level sizes[FB_MAX_RUNS];
    const bool traced = fb_json_at(cell, "tree.trace");
    for (size_t i = 0; i < n; i++)
        sizes[i] = (struct fb_rewritten_level){(unsigned)levels[i].number, levels[i].keys};
    fb_rewrites(style_of(cell), sizes, n, fb_json_num(cell, "tree.segment_keys"), out);
    for (size_t i = 0; traced && i < n; i++)
        out[i] = (struct fb_rewrites){NAN, NAN};
}

/* ---- Costs ---- */

enum { REWRITES, BYTES, HASHED, CPU, CPU_CI95, N_COSTS };
static const char *const names[N_COSTS] = {"rewrites", "filter_bytes", "hashed_bytes", "cpu_ns",
                                           "cpu_ns_ci95"};

/* Of one building of a key's filter; NaN: not known. */
struct each {
    double low[N_COSTS], high[N_COSTS];
};

static void set_both(struct each *each, int cost, double value)
{
    each->low[cost] = each->high[cost] = value;
}

static struct each each_of(const json_t *cell, const struct level *level, const json_t *built)
{
    const bool whole_keys = json_is_null(fb_json_at(cell, "params.prefix"));
    struct each each;
    set_both(&each, REWRITES, 1);
    set_both(&each, BYTES, level->keys > 0 ? level->bytes / level->keys : NAN);
    set_both(&each, HASHED,
             !level->filtered ? 0
             : whole_keys     ? fb_json_num(cell, "build.key_bytes")
                              : NAN);
    set_both(&each, CPU, level->filtered ? fb_json_num(built, "time.median") : 0);
    set_both(&each, CPU_CI95, 0);
    if (level->filtered) {
        each.low[CPU_CI95] = fb_json_num(built, "time.ci95.low");
        each.high[CPU_CI95] = fb_json_num(built, "time.ci95.high");
    }
    return each;
}

static void put_costs(json_t *object, const struct each *costs, bool intervals, const char *traced)
{
    const char *const whys[N_COSTS] = {traced, traced ? traced : "the level has no keys",
                                       "filters of prefixes hash prefixes as well", "not timed",
                                       "not timed, or by fewer than 6 processes"};
    for (int c = 0; c < N_COSTS; c++)
        if (intervals || c != CPU_CI95)
            fb_json_known(object, names[c], fb_json_interval(costs->low[c], costs->high[c]),
                          traced ? traced : whys[c]);
}

/* Adds what one building costs, so many times. */
static void add_costs(struct each *sum, const struct each *each, double low, double high)
{
    for (int c = 0; c < N_COSTS; c++) {
        sum->low[c] += each->low[c] * low;
        sum->high[c] += each->high[c] * high;
    }
}

json_t *fb_lsm_building(const json_t *cell)
{
    const json_t *built = fb_json_at(cell, "build.levels");
    const bool traced = fb_json_at(cell, "tree.trace");
    const double times = fb_json_num(cell, "tree.trace.entries_written") /
                         fb_json_num(cell, "tree.trace.entries_put");
    struct level levels[FB_MAX_RUNS];
    struct fb_rewrites rewrites[FB_MAX_RUNS];
    struct each all = {0};
    const size_t n = levels_of(cell, levels);
    double keys = 0;
    json_t *rows = json_array();
    rewrites_of(cell, levels, n, rewrites);
    for (size_t i = 0; i < n; i++)
        keys += levels[i].keys;
    for (size_t i = 0; i < n; i++) {
        const struct each each = each_of(cell, &levels[i], json_array_get(built, i));
        const double share = levels[i].keys / keys * times;
        struct each here = {0};
        json_t *row = json_pack("{s:o}", "level", fb_json_int(levels[i].number));
        add_costs(&here, &each, rewrites[i].low, rewrites[i].high);
        put_costs(row, &here, false, traced ? by_trace : NULL);
        json_array_append_new(rows, row);
        add_costs(&all, &each, traced ? share : rewrites[i].low, traced ? share : rewrites[i].high);
    }
    json_t *j = json_pack("{s:o}", "levels", rows);
    put_costs(j, &all, true, NULL);
    return j;
}

/* ---- Facts ---- */

/* What waits for a build, in bytes, at least: the keys of a filter of the mean size. */
static uint64_t least_waiting(const struct fb_design *design, const struct level *level)
{
    return fb_design_waits(design) ? level->filter_keys * fb_max_u64(design->digest_words, 1) * 8
                                   : 0;
}

static const char *wrong_level(const struct fb_design *design, const struct level *level,
                               const json_t *cell, const json_t *built)
{
    const uint64_t filters = whole(built, "filters"), attempts = whole(built, "attempts"),
                   most = whole(built, "most_attempts"), held = whole(built, "temporary_bytes");
    const json_t *time = json_object_get(built, "time");
    const bool prefixed = *fb_json_str(cell, "params.prefix");
    if (whole(built, "level") != level->number)
        return "build.level";
    if (whole(built, "filter_keys") != level->filter_keys)
        return "build.filter_keys";
    if (filters > level->units || (!filters && level->filtered && level->keys > 0 && !prefixed))
        return "build.filters";
    if (most > (!filters ? 0 : design->retry ? FB_MAX_ATTEMPTS : 1) || !most != !filters)
        return "build.most_attempts";
    if (attempts < filters || attempts > filters * most ||
        (filters && attempts - filters + 1 < most))
        return "build.attempts";
    if ((held && (!filters || !fb_design_waits(design))) ||
        (filters && !prefixed && held < least_waiting(design, level)))
        return "build.temporary_bytes";
    return json_is_null(time) || (filters && json_object_get(cell, "timed")) ? NULL : "build.time";
}

const char *fb_lsm_wrong_build(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                               const json_t *cell)
{
    const struct fb_design *design = e->filters[planned->filter].design;
    const json_t *built = fb_json_at(cell, "build.levels");
    const char *wrong = NULL;
    struct level levels[FB_MAX_RUNS];
    const size_t n = levels_of(cell, levels);
    if (json_array_size(built) != n)
        return "build.levels";
    for (size_t i = 0; i < n && !wrong; i++)
        wrong = wrong_level(design, &levels[i], cell, json_array_get(built, i));
    return wrong;
}
