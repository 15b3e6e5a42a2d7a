#include "harness/verb/gbench.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/measure/group_json.h"

/* ---- The machine and the build ---- */

static json_t *caches_of(const json_t *machine)
{
    static const struct {
        const char *path, *type;
        int level;
    } caches[] = {{"caches_bytes.l1d", "Data", 1},
                  {"caches_bytes.l2", "Unified", 2},
                  {"caches_bytes.l3", "Unified", 3}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
        if (fb_json_uint(machine, caches[i].path))
            json_array_append_new(list,
                                  json_pack("{s:s, s:i, s:o, s:i}", "type", caches[i].type, "level",
                                            caches[i].level, "size",
                                            fb_json_int(fb_json_uint(machine, caches[i].path)),
                                            "num_sharing", 0));
    return list;
}

static json_t *context_of(const json_t *document)
{
    const json_t *machine = json_object_get(document, "machine");
    const char *governor = fb_json_str(document, "timing.settings.governor");
    char type[32];
    snprintf(type, sizeof type, "%s", fb_json_str(document, "build.type"));
    for (char *c = type; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:i, s:b, s:o, s:[], s:s, s:i}", "date",
                     fb_json_str(document, "run.started"), "host_name", "unknown", "executable",
                     "filterbench", "cpu_model", fb_json_str(machine, "cpu_model"), "num_cpus",
                     fb_json_int(fb_json_uint(machine, "cores")), "mhz_per_cpu", 0,
                     "cpu_scaling_enabled", *governor && strcmp(governor, "performance") != 0,
                     "caches", caches_of(machine), "load_avg", "library_build_type", type,
                     "json_schema_version", 1);
}

/* ---- Benchmarks ---- */

enum { N_CLOCKS = 2 }; /* wall, thread */

struct benchmark {
    char name[512];
    size_t family, repetitions, rounds;
    double ns[N_CLOCKS][FB_PAIRED_MAX]; /* of each repetition */
};

static json_t *entry_of(const struct benchmark *b, const char *suffix, size_t iterations)
{
    return json_pack("{s:s+, s:o, s:i, s:s, s:o, s:i, s:o, s:s}", "name", b->name, suffix,
                     "family_index", fb_json_int(b->family), "per_family_instance_index", 0,
                     "run_name", b->name, "repetitions", fb_json_int(b->repetitions), "threads", 1,
                     "iterations", fb_json_int(iterations), "time_unit", "ns");
}

static void add_repetition(json_t *benchmarks, const struct benchmark *b, size_t p)
{
    json_t *j = entry_of(b, "", b->rounds);
    json_object_set_new(j, "run_type", json_string("iteration"));
    json_object_set_new(j, "repetition_index", fb_json_int(p));
    json_object_set_new(j, "real_time", json_real(b->ns[0][p]));
    json_object_set_new(j, "cpu_time", json_real(b->ns[1][p]));
    json_array_append_new(benchmarks, j);
}

enum aggregate { MEAN, MEDIAN, STDDEV, CV, N_AGGREGATES };
static const char *const aggregates[N_AGGREGATES] = {"mean", "median", "stddev", "cv"};

static double aggregate_of(const double *ns, size_t n, enum aggregate which)
{
    double x[FB_PAIRED_MAX];
    const struct fb_mean m = fb_mean_of(ns, n);
    memcpy(x, ns, n * sizeof *x);
    switch (which) {
    case MEAN:
        return m.mean;
    case STDDEV:
        return m.sd;
    case CV:
        return m.sd / m.mean;
    default:
        return fb_median(x, n);
    }
}

static void add_aggregate(json_t *benchmarks, const struct benchmark *b, enum aggregate which)
{
    char suffix[16];
    snprintf(suffix, sizeof suffix, "_%s", aggregates[which]);
    json_t *j = entry_of(b, suffix, b->repetitions);
    json_object_set_new(j, "run_type", json_string("aggregate"));
    json_object_set_new(j, "aggregate_name", json_string(aggregates[which]));
    json_object_set_new(j, "aggregate_unit", json_string(which == CV ? "percentage" : "time"));
    json_object_set_new(j, "real_time", json_real(aggregate_of(b->ns[0], b->repetitions, which)));
    json_object_set_new(j, "cpu_time", json_real(aggregate_of(b->ns[1], b->repetitions, which)));
    json_array_append_new(benchmarks, j);
}

/* The samples of a time as repetitions. False: they cannot be read. */
static bool read_samples(json_t *owner, const char *member, struct benchmark *b)
{
    const struct fb_group_place place = {.object = owner, .name = member, .id = b->name, .to = -1};
    struct fb_group group = {0};
    bool read = !fb_group_read(&group, &place, 1, 1);
    b->repetitions = read ? group.parts[0].processes : 0;
    b->rounds = group.rounds;
    for (size_t p = 0; p < b->repetitions; p++) {
        double ns[N_CLOCKS][FB_GROUP_ROUNDS];
        for (size_t r = 0; r < group.rounds; r++) {
            const struct fb_sample *sample = &group.members[0].samples[p * group.rounds + r];
            ns[0][r] = sample->wall_ns;
            ns[1][r] = sample->cpu_ns;
        }
        for (int clock = 0; clock < N_CLOCKS; clock++)
            b->ns[clock][p] = fb_median(ns[clock], group.rounds);
    }
    fb_group_close(&group);
    return read;
}

/* The time owner[member], if it has one. False with a line on stderr: its samples cannot be read.
 */
static bool add_time(json_t *benchmarks, json_t *owner, const char *member, const char *id,
                     const char *of, size_t *family)
{
    struct benchmark b = {.family = *family};
    if (!json_is_object(json_object_get(owner, member)))
        return true;
    snprintf(b.name, sizeof b.name, "%.300s%s%.200s", id, *of ? "/" : "", of);
    if (!read_samples(owner, member, &b)) {
        fb_error("export: %s: its samples cannot be read", b.name);
        return false;
    }
    for (size_t p = 0; p < b.repetitions; p++)
        add_repetition(benchmarks, &b, p);
    for (int which = 0; which < N_AGGREGATES && b.repetitions > 1; which++)
        add_aggregate(benchmarks, &b, (enum aggregate)which);
    ++*family;
    return true;
}

static bool add_cell(json_t *benchmarks, json_t *cell, size_t *family)
{
    const char *id = fb_json_str(cell, "id");
    size_t i;
    json_t *lookup;
    bool read = add_time(benchmarks, cell, "time", id, "", family) &&
                add_time(benchmarks, cell, "control", id, "control", family);
    json_array_foreach(json_object_get(cell, "lookups"), i, lookup) {
        if (!read)
            break;
        read = add_time(benchmarks, lookup, "time", id, fb_json_str(lookup, "lookup"), family);
    }
    return read;
}

enum fb_exit fb_gbench(const json_t *document, json_t **out)
{
    json_t *benchmarks = json_array(), *cell;
    size_t i, families = 0;
    bool read = true;
    *out = NULL;
    json_array_foreach(json_object_get(document, "cells"), i, cell) {
        if (read)
            read = add_cell(benchmarks, cell, &families);
    }
    if (read && families)
        *out = json_pack("{s:o, s:O}", "context", context_of(document), "benchmarks", benchmarks);
    else if (read)
        fb_error("export: no times in the result; kernels and trees that are timed have them");
    json_decref(benchmarks);
    return *out ? FB_EXIT_OK : FB_EXIT_USAGE;
}
