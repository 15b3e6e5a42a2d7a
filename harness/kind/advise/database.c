/* A database that was read (engine/survey.h): what it answers of the question, and its table. */
#include <math.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/kind/advise/advise.h"

enum { LEVELS = 64 };

/* The files of a level, or of all. */
struct sum {
    double files, bytes, entries, deletions, key_bytes, value_bytes;
    double filters, filter_keys, filter_bytes, bare_entries; /* of files without a filter */
    double estimated;
    const char *design; /* of its filters; "several" */
};

static void add(struct sum *s, const json_t *file)
{
    const double filters = fb_json_num(file, "filters"), entries = fb_json_num(file, "entries");
    const char *design = fb_json_str(file, "design");
    s->files++;
    s->bytes += fb_json_num(file, "file_bytes");
    s->entries += entries;
    s->deletions += fb_json_num(file, "deletions");
    s->key_bytes += fb_json_num(file, "key_bytes");
    s->value_bytes += fb_json_num(file, "value_bytes");
    s->filters += filters;
    s->filter_keys += fb_json_num(file, "filter_keys");
    s->filter_bytes += fb_json_num(file, "filter_bytes");
    s->bare_entries += filters > 0 ? 0 : entries;
    s->estimated += json_is_true(json_object_get(file, "estimated"));
    if (filters > 0)
        s->design = !s->design || !strcmp(s->design, design) ? design : "several";
}

/* Entries are versions of keys, and those of filters may be prefixes too. */
static double keys_of(const json_t *database, const struct sum *s)
{
    const char *prefix = fb_json_str(database, "settings.prefix_extractor");
    return *prefix && strcmp(prefix, "nullptr") != 0 ? s->entries
                                                     : s->filter_keys + s->bare_entries;
}

static struct sum sum_of(const json_t *database, int level)
{
    struct sum sum = {0};
    FB_EACH(file, json_object_get(database, "files"))
        if (level < 0 || fb_json_num(file, "level") == level)
            add(&sum, file);
    return sum;
}

/* ---- As fields ---- */

/* LevelDB has a filter for each 2 KiB of a table; the model has one a table. */
static double filters_of(const json_t *database, const struct sum *s)
{
    return s->filters > s->files && !strcmp(fb_json_str(database, "engine"), "rocksdb") ? s->filters
                                                                                        : s->files;
}

static void add_run(const json_t *database, int level, const struct sum *s, json_t *runs)
{
    const double keys = keys_of(database, s);
    if (keys >= 1 && s->bytes >= 1)
        json_array_append_new(runs, json_pack("{s:i, s:I, s:I, s:I}", "level", level, "bytes",
                                              (json_int_t)s->bytes, "files",
                                              (json_int_t)filters_of(database, s), "keys",
                                              (json_int_t)keys));
}

/* What the design was asked for to have as many bits per key as are in use: in halves of a bit. */
static double setting_of(const struct fb_design *design, const struct sum *s)
{
    const double in_use = 8 * s->filter_bytes / s->filter_keys;
    const uint64_t keys = (uint64_t)(s->filter_keys / s->filters);
    double best = 0, nearest = INFINITY, bits;
    const char *why;
    for (double asked = 0.5; asked <= 40; asked += 0.5)
        if (!fb_size_bits(design, keys, asked, &bits, &why) && fabs(bits - in_use) < nearest) {
            nearest = fabs(bits - in_use);
            best = asked;
        }
    return best;
}

void fb_advise_take_database(const json_t *database, json_t *fields)
{
    const struct sum all = sum_of(database, -1);
    json_t *runs = json_array();
    FB_EACH(file, json_object_get(database, "files"))
        if (fb_json_num(file, "level") == 0) { /* each may overlap all others */
            struct sum one = {0};
            add(&one, file);
            add_run(database, 0, &one, runs);
        }
    for (int level = 1; level < LEVELS; level++) {
        const struct sum sum = sum_of(database, level);
        add_run(database, level, &sum, runs);
    }
    json_object_set_new(fields, "run_bytes", runs);
    json_object_set(fields, "engine", json_object_get(database, "engine"));
    if (all.design && fb_design_find(all.design)) {
        json_object_set_new(fields, "from", json_string(all.design));
        json_object_set_new(fields, "from_bits",
                            json_real(setting_of(fb_design_find(all.design), &all)));
    }
    if (!strcmp(fb_json_str(database, "settings.optimize_filters_for_hits"), "true"))
        json_object_set_new(fields, "from_split", json_string("drop-last"));
    const json_t *settings = json_object_get(database, "settings");
    if (!strcmp(fb_json_str(settings, "partition_filters"), "true"))
        json_object_set_new(fields, "filter_residency", json_string("partitioned"));
    else if (!strcmp(fb_json_str(settings, "cache_index_and_filter_blocks"), "true"))
        json_object_set_new(fields, "filter_residency", json_string("cached"));
    if (!strcmp(fb_json_str(database, "settings.compaction_style"), "kCompactionStyleUniversal"))
        json_object_set_new(fields, "style", json_string("universal"));
    if (all.entries > 0) {
        json_object_set_new(fields, "key_bytes", json_real(all.key_bytes / all.entries));
        json_object_set_new(fields, "value_bytes", json_real(all.value_bytes / all.entries));
    }
}

/* ---- As a table ---- */

static const struct fb_column columns[] = {
    {"level", "level", .left = true},
    {"files", "files", .format = "%.0f"},
    {"files MB", "bytes", .format = "%.4g", .scale = 1e-6},
    {"keys", "keys", .format = "%.0f"},
    {"deletions %", "deletions", .format = "%.3g", .scale = 100, .optional = true, .spare = 2},
    {"filter", "design", .left = true},
    {"filters", "filters", .format = "%.0f", .spare = 1},
    {"keys/filter", "filter_keys", .format = "%.0f"},
    {"bits/key in use", "bits_per_key", .format = "%.4g"},
    {"filters MB", "filter_bytes", .format = "%.4g", .scale = 1e-6},
    {0},
};

static void add_row(struct fb_table *table, const json_t *database, int level)
{
    const struct sum s = sum_of(database, level);
    char name[16] = "all";
    if (!(s.files > 0))
        return;
    if (level >= 0)
        snprintf(name, sizeof name, "%d", level);
    json_auto_t *row = json_pack("{s:s, s:f, s:f, s:f, s:f, s:s, s:f, s:f}", "level", name, "files",
                                 s.files, "bytes", s.bytes, "keys", keys_of(database, &s),
                                 "deletions", s.deletions / fmax(s.entries, 1), "design",
                                 s.design ? *s.design ? s.design : "another" : "none", "filters",
                                 s.filters, "filter_bytes", s.filter_bytes);
    fb_json_real(row, "filter_keys", s.filter_keys / s.filters, "there is no filter");
    fb_json_real(row, "bits_per_key", 8 * s.filter_bytes / s.filter_keys, "there is no filter");
    fb_table_row(table, s.estimated > 0 ? "~" : " ", row);
}

/* Settings that decide about filters; a document has all. */
static const char *const shown[] = {"filter_policy",       "optimize_filters_for_hits",
                                    "partition_filters",   "cache_index_and_filter_blocks",
                                    "whole_key_filtering", "prefix_extractor",
                                    "block_size",          "compression",
                                    "compaction_style",    "level_compaction_dynamic_level_bytes"};

void fb_advise_database_table(FILE *file, const json_t *database, enum fb_table_style style)
{
    struct fb_table table = {.columns = columns};
    char heading[300], settings[FB_TABLE_CELL] = "";
    const struct sum all = sum_of(database, -1);
    snprintf(heading, sizeof heading, "%.20s database %.200s, read by version %.20s",
             fb_json_str(database, "engine"), fb_json_str(database, "folder"),
             fb_json_str(database, "version"));
    fb_table_heading(&table, heading);
    for (int level = 0; level < LEVELS; level++)
        add_row(&table, database, level);
    add_row(&table, database, -1);
    fb_table_finish(&table, file, style);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *value = fb_json_str(json_object_get(database, "settings"), shown[i]);
        if (*value)
            fb_append(settings, sizeof settings, "%s%s=%s", *settings ? "; " : "", shown[i], value);
    }
    if (*settings)
        fb_say(file, 2, "its settings: %s\n", settings);
    if (all.estimated > 0)
        fb_say(file, 2,
               "~: counts of keys are estimates: of each table the first part was read, up to 1 "
               "GiB of all\n");
    if (!json_object_size(json_object_get(database, "settings")))
        fb_say(file, 2, "its settings are not known: %s keeps no file of them there\n",
               fb_json_str(database, "engine"));
    fputc('\n', file);
}
