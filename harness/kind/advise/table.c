/* An answer as text: the sentence, the ranking, and what it depends on. */
#include <math.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/kind/advise/advise.h"

static void show_half(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const double low = fb_json_num(row, "cost_ns.low"), high = fb_json_num(row, "cost_ns.high");
    (void)c;
    fb_show_number((high - low) / 2000, "%.2g", out);
}

static void show_build(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const double low = fb_json_num(row, "build_ns.low"), high = fb_json_num(row, "build_ns.high");
    (void)c;
    if (isfinite(low) && high > 1.01 * low)
        snprintf(out, FB_TABLE_CELL, "%.0f-%.0f", low, high);
    else
        fb_show_number(low, "%.0f", out);
}

static const struct fb_column ranking_columns[] = {
    {"filter", "name", .left = true},
    {"asked", "bits_per_key", .format = "%.4g", .spare = 3},
    {"bits/key", "memory_bits", .format = "%.4g"},
    {"MB", "bytes", .format = "%.4g", .scale = 1e-6},
    {"us/query", "cost_ns.value", .format = "%.4g", .scale = 1e-3, .best = FB_LEAST},
    {"+-", "cost_ns", .show = show_half},
    {"p99 us", "p99_ns", .format = "%.4g", .scale = 1e-3, .spare = 1, .optional = true},
    {"reads", "reads.value", .format = "%.4f", .best = FB_LEAST},
    {"CPU ns", "cpu_ns.value", .format = "%.3g"},
    {"false", "false_positives", .format = "%.0f", .spare = 2},
    {"build ns/key", "build_ns", .show = show_build, .spare = 1, .best = FB_LEAST},
    {0},
};

static const struct fb_column front_columns[] = {
    {"bits/key", "size", .format = "%.4g"},
    {"MB", "bytes", .format = "%.4g", .scale = 1e-6},
    {"us/query", "cost_ns", .format = "%.4g", .scale = 1e-3},
    {"false us", "false_ns", .format = "%.3g", .scale = 1e-3},
    {"asking us", "asking_ns", .format = "%.3g", .scale = 1e-3},
    {"filter", "name", .left = true},
    {0},
};

static const struct fb_column regret_columns[] = {
    {"if in truth", "input", .left = true},
    {"us/query", "cost_ns", .format = "%.4g", .scale = 1e-3},
    {"too much %", "regret", .format = "%.2g", .scale = 100},
    {"best would be", "best.name", .left = true},
    {0},
};

/* The rows of a list of the answer; those where `flag` is true have a mark. */
static void print_rows(FILE *file, const json_t *rows, const struct fb_column *columns,
                       const char *heading, const char *flag, const char *mark,
                       enum fb_table_style style)
{
    struct fb_table table = {.columns = columns};
    size_t i;
    json_t *row;
    fb_table_heading(&table, heading);
    json_array_foreach((json_t *)rows, i, row)
        fb_table_row(&table, json_is_true(json_object_get(row, flag)) ? mark : " ", row);
    fb_table_finish(&table, file, style);
}

static void print_ranking(FILE *file, const json_t *answer, enum fb_table_style style)
{
    char heading[200], read[32];
    fb_advise_time(fb_json_num(answer, "read_ns"), read);
    snprintf(heading, sizeof heading,
             "%.0f keys, %.0f levels, %.0f runs, %.0f keys in a large filter; %.4g %% absent; a "
             "read takes %s",
             fb_json_num(answer, "n"), fb_json_num(answer, "levels"), fb_json_num(answer, "runs"),
             fb_json_num(answer, "unit_keys"), 100 * fb_json_num(answer, "absent"), read);
    print_rows(file, json_object_get(answer, "ranking"), ranking_columns, heading, "like_first",
               "=", style);
}

static void print_flips(FILE *file, const json_t *answer)
{
    size_t i;
    json_t *flip;
    if (!json_array_size(json_object_get(answer, "flips")))
        fb_say(file, 2, "would flip: nothing, of the filters above\n");
    json_array_foreach(json_object_get(answer, "flips"), i, flip)
        fb_say(file, 2, "would flip: %s\n", fb_json_str(flip, "text"));
}

/* "bits asked for, newest level first: 28.5 24 19 14 9" */
static void print_levels(FILE *file, const json_t *first)
{
    char list[FB_TABLE_CELL] = "";
    size_t i;
    json_t *bits;
    if (!strcmp(fb_json_str(first, "allocation"), "uniform"))
        return;
    json_array_foreach(json_object_get(first, "level_bits"), i, bits) {
        const size_t used = strlen(list);
        if (json_number_value(bits) < 0)
            snprintf(list + used, sizeof list - used, " none");
        else
            snprintf(list + used, sizeof list - used, " %.4g", json_number_value(bits));
    }
    if (*list)
        fb_say(file, 2, "bits to ask for, newest level first:%s\n", list);
}

static void print_dollars(FILE *file, const json_t *e, const json_t *row)
{
    const double month_s = 365.25 / 12 * 86400, queries = fb_json_num(e, "query_rate") * month_s;
    const double memory = fb_json_num(e, "memory_dollars") * 1e-9 * fb_json_num(row, "bytes"),
                 reads = fb_json_num(e, "read_dollars") * queries * fb_json_num(row, "reads.value");
    if (queries > 0)
        fb_say(file, 2, "dollars a month: %.4g for memory + %.4g for reads = %.4g\n", memory, reads,
               memory + reads);
}

/* "in the same memory, by formula: sbbf-512 1.2 us; its bits split over the runs 1.1; ..." */
static void print_steps(FILE *file, const json_t *steps)
{
    const char *first = fb_json_str(steps, "first");
    const double now = fb_json_num(steps, "today.cost_ns"),
                 split = fb_json_num(steps, "split.cost_ns"),
                 design = fb_json_num(steps, "design.cost_ns"),
                 both = fb_json_num(steps, "both.cost_ns");
    if (!*first)
        return;
    fb_say(file, 2,
           "from %s as it is, %.4g us, in the same memory: its bits split over the runs %.4g us, "
           "%s with the same bits everywhere %.4g us, both %.4g us; %s\n",
           fb_json_str(steps, "today.design"), now / 1e3, split / 1e3,
           fb_json_str(steps, "design.design"), design / 1e3, both / 1e3,
           !strcmp(first, "split")    ? "split the bits first"
           : !strcmp(first, "design") ? "change the design first"
                                      : "neither gains");
}

/* "rocksdb, rocksdb-ribbon, 0.6 % more: block_based_table_factory=..." */
static void print_engines(FILE *file, const json_t *engines)
{
    size_t i;
    json_t *engine;
    json_array_foreach(engines, i, engine) {
        const char *note = fb_json_str(engine, "note");
        const double more = fb_json_num(engine, "more");
        char cost[40] = "";
        if (more > 0)
            snprintf(cost, sizeof cost, ", %.3g %% more", 100 * more);
        fb_say(file, 2, "%s (%s%s):%s%s\n", fb_json_str(engine, "engine"),
               fb_json_str(engine, "name"), cost, *note ? " " : "", note);
        fprintf(file, "    %s\n", fb_json_str(engine, "text")); /* to paste: never wrapped */
    }
}

static void print_deployed(FILE *file, const json_t *deployed)
{
    if (!json_is_object(deployed))
        return;
    if (json_is_true(json_object_get(deployed, "enough")))
        fb_say(file, 2,
               "in use now: %.4g %% of checks for keys that were not there are false positives "
               "(95 %%: %.4g to %.4g)\n",
               100 * fb_json_num(deployed, "rate"), 100 * fb_json_num(deployed, "low"),
               100 * fb_json_num(deployed, "high"));
    else
        fb_say(file, 2,
               "in use now: %.0f false positives are too few to tell a rate; 400 would do\n",
               fb_json_num(deployed, "false_positives"));
}

/* What the answer rests on, given and assumed alike. */
static void print_question(FILE *file, const json_t *document)
{
    const json_t *e = json_object_get(document, "experiment"),
                 *answer = json_object_get(document, "answer");
    const bool file_runs = json_array_size(json_object_get(e, "run_bytes"));
    const double n = fb_json_num(answer, "n"), measured = fb_json_num(answer, "measured"),
                 bits = fb_json_num(e, "bits_per_key"), memory = fb_json_num(e, "memory"),
                 cache = fb_json_num(e, "cache_bytes");
    char most[60] = "as much memory as pays";
    if (memory > 0)
        snprintf(most, sizeof most, "at most %.4g MB of filters", memory * 1e-6);
    else if (bits > 0)
        snprintf(most, sizeof most, "at most %.4g bits per key", bits);
    char files[60];
    double given = 0;
    size_t i;
    json_t *run;
    json_array_foreach(json_object_get(e, "run_bytes"), i, run)
        given += (double)fb_json_uint(run, "files");
    if (given > 0)
        snprintf(files, sizeof files, "%.0f files", given);
    else
        snprintf(files, sizeof files, "files of %.4g MB", fb_json_num(e, "segment_bytes") * 1e-6);
    fb_say(
        file, 2,
        "asked: %.0f keys (%s) and values of %.4g bytes; %s, %.0f levels, %s; %.4g %% of queries "
        "for absent keys (%.4g to %.4g), popularity %s; block cache %.4g MB; %s\n",
        n, fb_json_str(e, "keys"), fb_json_num(e, "value_bytes"),
        file_runs ? "runs as given" : fb_json_str(e, "style"), fb_json_num(answer, "levels"), files,
        100 * fb_json_num(answer, "absent"), 100 * fb_json_num(answer, "low"),
        100 * fb_json_num(answer, "high"), fb_json_str(e, "popularity"), cache * 1e-6, most);
    if (*fb_json_str(e, "costs_from"))
        fb_say(file, 2, "costs of filters and reads: measured in %s\n",
               fb_json_str(e, "costs_from"));
    if (measured < n)
        fb_say(
            file, 2,
            "times are of a tree of %.0f keys; reads are by formula for all %.0f, with rates that "
            "the keys at hand confirmed\n",
            measured, n);
}

/* A line for each reason. */
static void print_left_out(FILE *file, const json_t *cells)
{
    json_t *reasons = json_object(), *cell, *names;
    size_t i;
    const char *why;
    json_array_foreach(cells, i, cell) {
        why = fb_json_str(cell, "left_out");
        if (!*why)
            continue;
        if (!json_object_get(reasons, why))
            json_object_set_new(reasons, why, json_array());
        json_array_append(json_object_get(reasons, why), json_object_get(cell, "design"));
    }
    json_object_foreach(reasons, why, names) {
        char list[FB_TABLE_CELL] = "";
        for (i = 0; i < json_array_size(names); i++) {
            const size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                     json_string_value(json_array_get(names, i)));
        }
        fb_say(file, 2, "left out, as %s: %s\n", why, list);
    }
    json_decref(reasons);
}

void fb_advise_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *answer = json_object_get(document, "answer");
    if (!json_is_object(answer))
        return;
    const json_t *first = json_array_get(json_object_get(answer, "ranking"), 0);
    fb_say_verdict(file, 0, style != FB_TABLE_TEXT ? NULL : fb_json_str(answer, "confidence"),
                   "%s\n", fb_json_str(answer, "sentence"));
    fputc('\n', file);
    print_ranking(file, answer, style);
    fputc('\n', file);
    print_question(file, document);
    print_levels(file, first);
    print_dollars(file, json_object_get(document, "experiment"), first);
    print_deployed(file, json_object_get(answer, "deployed"));
    print_engines(file, json_object_get(answer, "engines"));
    print_flips(file, answer);
    print_steps(file, json_object_get(answer, "steps"));
    fputc('\n', file);
    print_rows(file, json_object_get(answer, "front"), front_columns,
               "memory against cost, by formula; > the knee: false positives cost no more than "
               "asking",
               "knee", ">", style);
    fputc('\n', file);
    print_rows(file, json_object_get(answer, "regret"), regret_columns,
               "what a wrong input would cost", "", " ", style);
    fputc('\n', file);
    if (json_object_get(document, "database"))
        fb_advise_database_table(file, json_object_get(document, "database"), style);
    print_left_out(file, json_object_get(document, "cells"));
    fb_result_notes(file, document, FB_MOST_WARNINGS);
}
