#define _POSIX_C_SOURCE 200809L /* gmtime_r */
#include "harness/kind/ab/profile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/environment.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/stats/paired.h"
#include "harness/stats/slowdown.h"
#include "harness/stats/stats.h"

static const char schema[] = "filterbench machine profile 2";
static const double most_q = 5;       /* of independent processes */
static const double margin = 1.25;    /* of the floor above what was seen */
static const double most_ratio = 100; /* of a comparison: beyond it the file is wrong */

/* ---- Machine and file ---- */

json_t *fb_profile_new(void)
{
    char key[17];
    fb_machine_key(key);
    return json_pack("{s:s, s:s, s:o, s:o, s:[]}", "schema", schema, "key", key, "machine",
                     fb_environment_machine(), "tool", fb_environment_tool(), "comparisons");
}

bool fb_profile_takes(int code)
{
    return code == FB_EXIT_OK || code == FB_EXIT_REGRESSED || code == FB_EXIT_INCONCLUSIVE ||
           code == FB_EXIT_UNRESOLVED;
}

static bool is_row(const json_t *row)
{
    FB_EACH_MEMBER(name, seen, json_object_get(row, "seen"))
        if (!(fb_json_num(seen, "largest") >= 0 && fb_json_num(seen, "largest") < most_ratio &&
              fb_json_num(seen, "q") >= 0 && fb_json_num(seen, "cells") >= 0))
            return false;
    return json_is_string(json_object_get(row, "plant")) &&
           json_is_object(json_object_get(row, "cells")) &&
           json_is_boolean(json_object_get(row, "load")) &&
           json_is_boolean(json_object_get(row, "links")) &&
           json_is_integer(json_object_get(row, "exit")) &&
           fb_profile_takes((int)fb_json_num(row, "exit")) &&
           json_is_object(json_object_get(row, "seen"));
}

enum fb_exit fb_profile_load(const char *path, json_t **profile)
{
    struct stat about;
    char key[17];
    const json_t *rows;
    *profile = NULL;
    if (stat(path, &about) && errno == ENOENT)
        return FB_EXIT_OK;
    enum fb_exit code = fb_json_load(path, profile);
    if (code)
        return code;
    rows = json_object_get(*profile, "comparisons");
    bool readable = !strcmp(fb_json_str(*profile, "schema"), schema) && json_is_array(rows);
    FB_EACH(row, rows)
        readable = readable && is_row(row);
    if (!readable) {
        fb_error("%s: no machine profile, as `filterbench calibrate` writes it; remove it", path);
        code = FB_EXIT_USAGE;
    }
    fb_machine_key(key);
    if (!code && strcmp(fb_json_str(*profile, "key"), key) != 0) {
        fb_error("%s: the profile of another machine, %.80s (%s)", path,
                 fb_json_str(*profile, "machine.cpu_model"),
                 fb_machine_difference(json_object_get(*profile, "machine")));
        code = FB_EXIT_NOT_COMPARABLE;
    }
    if (code) {
        json_decref(*profile);
        *profile = NULL;
    }
    return code;
}

/* ---- Comparisons ---- */

/* What the cells of a footprint have shown by their second sets; NULL: none was measured. */
static json_t *seen_in(const json_t *document, const char *footprint)
{
    double largest = 0, q = 0, least = INFINITY, most = 0;
    size_t n = 0;
    FB_EACH(cell, json_object_get(document, "cells")) {
        const json_t *change = json_object_get(cell, "change");
        const double ratio = fb_json_num(change, "ratio"), d = fabs(log(ratio)),
                     processes = fb_json_num(change, "processes"), sd = fb_json_num(change, "sd");
        if (strcmp(fb_json_str(cell, "footprint"), footprint) != 0 ||
            !json_is_object(json_object_get(cell, "again")))
            continue;
        n++;
        largest = fmax(largest, expm1(d));
        least = fmin(least, ratio);
        most = fmax(most, ratio);
        q = sd > 0 ? fmax(q, d / (sd / sqrt(processes))) : q;
    }
    return n ? json_pack("{s:o, s:f, s:f, s:f, s:f}", "cells", fb_json_int(n), "largest", largest,
                         "q", q, "low", least, "high", most)
             : NULL;
}

void fb_profile_add(json_t *profile, const json_t *document, const char *plant, bool load, int code,
                    double seconds)
{
    json_t *seen = json_object(), *cells = json_object();
    for (int f = 0; f < FB_N_FOOTPRINTS; f++) {
        const char *name = fb_footprint_name((enum fb_footprint)f);
        json_t *in = seen_in(document, name);
        if (in)
            json_object_set_new(seen, name, in);
    }
    if (*plant) /* what was found in each cell */
        FB_EACH(cell, json_object_get(document, "cells"))
            json_object_set_new(cells, fb_json_str(cell, "id"),
                                json_pack("{s:f, s:b}", "ratio", fb_json_num(cell, "change.ratio"),
                                          "found",
                                          !strcmp(fb_json_str(cell, "change.verdict"),
                                                  fb_slowdown_name(FB_SLOWER))));
    json_array_append_new(json_object_get(profile, "comparisons"),
                          json_pack("{s:s, s:o, s:b, s:b, s:i, s:s, s:f, s:o, s:o}", "plant", plant,
                                    "cells", cells, "load", load, "links",
                                    json_is_true(json_object_get(document, "links")), "exit", code,
                                    "verdict", fb_json_str(document, "verdict.verdict"), "seconds",
                                    seconds, "ended", fb_environment_now(), "seen", seen));
}

static bool is_of(const json_t *row, const char *plant)
{
    return !strcmp(fb_json_str(row, "plant"), plant);
}

/* Those of a plant, and how many of them were exit 1. */
static size_t count(const json_t *profile, const char *plant, size_t *slower)
{
    size_t n = 0;
    *slower = 0;
    FB_EACH(row, json_object_get(profile, "comparisons")) {
        if (!is_of(row, plant))
            continue;
        n++;
        *slower += fb_json_num(row, "exit") == FB_EXIT_REGRESSED;
    }
    return n;
}

size_t fb_profile_count(const json_t *profile, const char *plant)
{
    size_t slower;
    return count(profile, plant, &slower);
}

/* ---- What follows ---- */

/* NaN where no comparison of equal designs with such links has the footprint. */
static double floor_of(const json_t *profile, bool links, const char *footprint)
{
    double largest = NAN, q = 0;
    FB_EACH(row, json_object_get(profile, "comparisons")) {
        const json_t *seen = json_object_get(json_object_get(row, "seen"), footprint);
        if (!seen || !is_of(row, "") || json_is_true(json_object_get(row, "links")) != links)
            continue;
        largest = fmax(largest, fb_json_num(seen, "largest"));
        q = fmax(q, fb_json_num(seen, "q"));
    }
    return links && q <= most_q && isfinite(largest) ? 0 : margin * largest;
}

static json_t *floors_of(const json_t *profile, bool links)
{
    json_t *floors = json_object();
    for (int f = 0; f < FB_N_FOOTPRINTS; f++) {
        const char *name = fb_footprint_name((enum fb_footprint)f);
        const double floor = floor_of(profile, links, name);
        if (isfinite(floor))
            json_object_set_new(floors, name, json_real(floor));
    }
    return floors;
}

size_t fb_profile_cells(const json_t *profile)
{
    size_t n = 0;
    FB_EACH(row, json_object_get(profile, "comparisons"))
        if (is_of(row, ""))
            FB_EACH_MEMBER(name, seen, json_object_get(row, "seen"))
                n += fb_json_uint(seen, "cells");
    return n;
}

/* What all comparisons with a plant have shown in one cell. */
static json_t *power_in(const json_t *profile, const char *plant, const char *cell)
{
    const json_t *rows = json_object_get(profile, "comparisons");
    double *ratios = calloc(json_array_size(rows) + 1, sizeof *ratios);
    size_t n = 0, found = 0;
    FB_EACH(row, rows) {
        const json_t *in = json_object_get(json_object_get(row, "cells"), cell);
        if (!ratios || !is_of(row, plant) || !in)
            continue;
        ratios[n++] = fb_json_num(in, "ratio");
        found += json_is_true(json_object_get(in, "found"));
    }
    json_t *power = json_pack("{s:s, s:s, s:f, s:o, s:o}", "plant", plant, "cell", cell, "size",
                              n ? fb_median(ratios, n) - 1 : 0, "comparisons", fb_json_int(n),
                              "found", fb_json_int(found));
    free(ratios);
    return power;
}

/* One entry for each plant and cell, in the order in which they first appear. */
static json_t *power_of(const json_t *profile)
{
    json_t *power = json_array(), *known = json_object();
    char key[300];
    FB_EACH(row, json_object_get(profile, "comparisons"))
        FB_EACH_MEMBER(id, cell, json_object_get(row, "cells")) {
            const char *plant = fb_json_str(row, "plant");
            snprintf(key, sizeof key, "%.100s %.150s", plant, id);
            if (json_object_get(known, key))
                continue;
            json_object_set_new(known, key, json_true());
            json_array_append_new(power, power_in(profile, plant, id));
        }
    json_decref(known);
    return power;
}

json_t *fb_profile_summary(const json_t *profile)
{
    size_t alarms;
    const size_t n = count(profile, "", &alarms);
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "machine", fb_json_str(profile, "key"),
                     "comparisons", fb_json_int(n), "cells", fb_json_int(fb_profile_cells(profile)),
                     "false_alarms", fb_json_int(alarms), "floors", floors_of(profile, true),
                     "one_link_floors", floors_of(profile, false), "power", power_of(profile));
}

double fb_profile_floor(const json_t *summary, bool links, enum fb_footprint footprint)
{
    const double floor = fb_json_num(json_object_get(summary, links ? "floors" : "one_link_floors"),
                                     fb_footprint_name(footprint));
    return isfinite(floor) ? floor : links ? 0 : FB_PROFILE_ONE_LINK;
}

double fb_profile_alarms_at_most(const json_t *summary)
{
    const uint64_t n = fb_json_uint(summary, "comparisons"),
                   alarms = fb_json_uint(summary, "false_alarms");
    return n && alarms <= n ? fb_binomial_upper(alarms, n, 0.95) : NAN;
}

void fb_profile_say(const json_t *summary, double delta, char *out, size_t size)
{
    const double at_most = fb_profile_alarms_at_most(summary);
    snprintf(out, size, "%llu of %llu comparisons of equal designs were false alarms",
             (unsigned long long)fb_json_uint(summary, "false_alarms"),
             (unsigned long long)fb_json_uint(summary, "comparisons"));
    if (at_most >= 0)
        fb_append(out, size, " (at most %.3g %%, 95 %% sure)", 100 * at_most);
    FB_EACH(power, json_object_get(summary, "power")) {
        if (fb_json_num(power, "size") <= delta)
            continue;
        fb_append(out, size, "; %.3g %% slower was found in %llu of %llu",
                  100 * fb_json_num(power, "size"),
                  (unsigned long long)fb_json_uint(power, "found"),
                  (unsigned long long)fb_json_uint(power, "comparisons"));
    }
}
