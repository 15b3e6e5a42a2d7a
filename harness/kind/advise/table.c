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

/* "0.13 [0.1, 0.17]" */
static void show_gain(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *gain = json_object_get(row, c->path);
    if (json_is_object(gain))
        snprintf(out, FB_TABLE_CELL, "%.3g [%.3g, %.3g]", fb_json_num(gain, "value") / 1e3,
                 fb_json_num(gain, "low") / 1e3, fb_json_num(gain, "high") / 1e3);
}

static void show_false(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const bool measured = json_is_true(json_object_get(row, "measured"));
    fb_show_number(measured ? fb_json_num(row, c->path) : NAN, "%.0f", out);
}

static const struct fb_column ranking_columns[] = {
    {"setting", "name", .left = true},
    {"asked", "bits_per_key", .format = "%.4g"},
    {"bits/key", "memory_bits", .format = "%.4g", .spare = 3},
    {"MB", "bytes", .format = "%.4g", .scale = 1e-6},
    {"us/query", "cost_ns.value", .format = "%.4g", .scale = 1e-3, .best = FB_LEAST},
    {"+-", "cost_ns", .show = show_half},
    {"saves %", "saves", .format = "%.1f", .scale = 100, .spare = 1, .optional = true},
    {"p99 us", "p99_ns", .format = "%.4g", .scale = 1e-3, .spare = 1, .optional = true},
    {"reads", "reads.value", .format = "%.4f", .best = FB_LEAST},
    {"CPU ns", "cpu_ns.value", .format = "%.3g"},
    {"false", "false_positives", .show = show_false, .spare = 2},
    {"build ns/key", "build_ns", .show = show_build, .spare = 1, .best = FB_LEAST},
    {0},
};

static const struct fb_column front_columns[] = {
    {"asked", "bits_per_key", .format = "%.4g"},
    {"MB", "bytes", .format = "%.4g", .scale = 1e-6},
    {"us/query", "cost_ns", .format = "%.4g", .scale = 1e-3},
    {"saves us", "saves_ns", .format = "%.3g", .scale = 1e-3},
    {"false us", "false_ns", .format = "%.3g", .scale = 1e-3},
    {"setting", "name", .left = true},
    {0},
};

/* What a row is: the pick, today's setting, one that cannot be told from the pick. */
static const char *mark_of(const json_t *row)
{
    static const char *const marks[][2] = {{"pick", ">"}, {"present", "*"}, {"like_pick", "="}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (json_is_true(json_object_get(row, marks[i][0])))
            return marks[i][1];
    return " ";
}

static void print_rows(FILE *file, const json_t *rows, const struct fb_column *columns,
                       const char *heading, enum fb_table_style style)
{
    struct fb_table table = {.columns = columns};
    fb_table_heading(&table, heading);
    FB_EACH(row, rows)
        fb_table_row(&table, mark_of(row), row);
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
    print_rows(file, json_object_get(answer, "ranking"), ranking_columns, heading, style);
    fb_say_aside(
        file, 2,
        "> the setting to use, * today's, = as small, and not told apart from >. Each setting "
        "has %s.\n",
        fb_json_num(answer, "price_ns_per_byte") > 0
            ? "the least cost and price"
            : "the least memory that costs at most 5 % more than the cheapest");
}

/* What the card has no room for: why the answer is not sure, and what else would change it. */
static void print_confidence(FILE *file, const json_t *answer)
{
    const char *why = fb_json_str(answer, "why");
    if (*why)
        fb_say(file, 2, "%s.\n", why);
    FB_EACH(flip, json_object_get(answer, "flips"))
        fb_say(file, 2, "%s\n", fb_json_str(flip, "text"));
}

static const struct fb_column proof_columns[] = {
    {"role", "role", .left = true},
    {"setting", "name", .left = true},
    {"asked", "bits_per_key", .format = "%.4g"},
    {"reads", "reads", .format = "%.4f"},
    {"predicted us", "predicted_ns.value", .format = "%.3g", .scale = 1e-3},
    {"observed us", "observed_ns.value", .format = "%.3g", .scale = 1e-3},
    {"gain us", "predicted_gain_ns", .show = show_gain},
    {"observed gain us", "observed_gain_ns", .show = show_gain},
    {"verdict", "verdict", .left = true, .verdict = true},
    {0},
};

static void print_proof(FILE *file, const json_t *proof, enum fb_table_style style)
{
    char heading[160];
    if (!json_is_object(proof))
        return;
    snprintf(heading, sizeof heading, "in %s %.40s itself, %.0f keys: %s",
             fb_json_str(proof, "engine"), fb_json_str(proof, "version"), fb_json_num(proof, "n"),
             fb_json_str(proof, "verdict"));
    print_rows(file, json_object_get(proof, "settings"), proof_columns, heading, style);
    fputc('\n', file);
}

/* What the engine lacks. */
static void print_beyond(FILE *file, const json_t *beyond)
{
    if (json_is_object(beyond))
        fb_say(file, 2,
               "The engine does not offer %s at %.4g bits per key. It would save another %.3g %% "
               "of a query in no more memory.\n",
               fb_json_str(beyond, "name"), fb_json_num(beyond, "bits_per_key"),
               100 * fb_json_num(beyond, "saves"));
}

/* "bits asked for, newest level first: 28.5 24 19 14 9" */
static void print_levels(FILE *file, const json_t *first)
{
    char list[FB_TABLE_CELL] = "";
    if (!strcmp(fb_json_str(first, "allocation"), "uniform"))
        return;
    FB_EACH(bits, json_object_get(first, "level_bits")) {
        if (json_number_value(bits) < 0)
            fb_append(list, sizeof list, " none");
        else
            fb_append(list, sizeof list, " %.4g", json_number_value(bits));
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

/* "rocksdb (rocksdb-ribbon at 10), 0.6 % more: block_based_table_factory=..." */
static void print_engines(FILE *file, const json_t *engines)
{
    const char *last = "";
    FB_EACH(engine, engines) {
        const bool told = !strcmp(last, fb_json_str(engine, "note"));
        const char *note = told ? "" : fb_json_str(engine, "note");
        last = fb_json_str(engine, "note");
        const double more = fb_json_num(engine, "more");
        char cost[40] = "";
        if (fabs(more) >= 0.0005)
            snprintf(cost, sizeof cost, ", %.3g %% %s", 100 * fabs(more),
                     more > 0 ? "more" : "less");
        fb_say(file, 2, "%s (%s at %.4g%s):%s%s\n", fb_json_str(engine, "engine"),
               fb_json_str(engine, "name"), fb_json_num(engine, "bits_per_key"), cost,
               *note ? " " : "", note);
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
static void print_question(FILE *file, const json_t *e, const json_t *answer)
{
    const bool file_runs = json_array_size(json_object_get(e, "run_bytes"));
    const double n = fb_json_num(answer, "n"), measured = fb_json_num(answer, "measured"),
                 bits = fb_json_num(e, "bits_per_key"), memory = fb_json_num(e, "memory"),
                 cache = fb_json_num(e, "cache_bytes");
    const bool priced = fb_json_num(e, "memory_price") > 0 || fb_json_num(e, "query_rate") > 0;
    char most[60];
    strcpy(most, priced ? "memory has a price" : "as much memory as pays");
    if (memory > 0)
        snprintf(most, sizeof most, "at most %.4g MB of filters", memory * 1e-6);
    else if (bits > 0)
        snprintf(most, sizeof most, "at most %.4g bits per key", bits);
    char files[60];
    double given = 0;
    FB_EACH(run, json_object_get(e, "run_bytes"))
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
    json_auto_t *reasons = json_object();
    FB_EACH(cell, cells) {
        const char *why = fb_json_str(cell, "left_out");
        if (!*why)
            continue;
        if (!json_object_get(reasons, why))
            json_object_set_new(reasons, why, json_array());
        json_array_append(json_object_get(reasons, why), json_object_get(cell, "design"));
    }
    FB_EACH_MEMBER(why, names, reasons) {
        char list[FB_TABLE_CELL] = "";
        FB_EACH(name, names) {
            fb_append(list, sizeof list, "%s%s", *list ? ", " : "", json_string_value(name));
        }
        fb_say(file, 2, "left out, as %s: %s\n", why, list);
    }
}

void fb_advise_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *answer = json_object_get(document, "answer");
    if (!json_is_object(answer))
        return;
    const bool all = style != FB_TABLE_TEXT || fb_screen_is_verbose();
    const json_t *pick = NULL;
    FB_EACH(row, json_object_get(answer, "ranking"))
        if (json_is_true(json_object_get(row, "pick")))
            pick = row;
    print_ranking(file, answer, style);
    fputc('\n', file);
    print_proof(file, json_object_get(answer, "proof"), style);
    print_engines(file, json_object_get(answer, "engines"));
    print_levels(file, pick);
    /* As it was asked last. */
    json_auto_t *asked = json_copy((json_t *)json_object_get(document, "experiment"));
    json_object_update(asked, json_object_get(document, "inputs"));
    print_dollars(file, asked, pick);
    if (all) {
        print_confidence(file, answer);
        print_beyond(file, json_object_get(answer, "beyond"));
        print_deployed(file, json_object_get(answer, "deployed"));
        print_question(file, asked, answer);
        fputc('\n', file);
    }
    if (fb_table_further(style)) {
        print_rows(file, json_object_get(answer, "front"), front_columns, "what the next bit saves",
                   style);
        fputc('\n', file);
    }
    if (json_object_get(document, "database") && fb_table_further(style))
        fb_advise_database_table(file, json_object_get(document, "database"), style);
    if (all)
        print_left_out(file, json_object_get(document, "cells"));
    fb_result_notes(file, document);
}
