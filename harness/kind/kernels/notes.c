/* Results of kind "kernels": what stands below their tables. */
#include <math.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/document/points.h"
#include "harness/kind/kernels/kernels.h"

/* Lines about this result, beside those that say what the columns and the tuning are. */
enum { MOST_LINES = 2 };

static bool is_of(const json_t *cell, const char *operation)
{
    return !strcmp(fb_json_str(cell, "operation"), operation);
}

static void add(json_t *lines, json_t *text)
{
    json_array_append_new(lines, text);
}

/* ---- What a user has to know ---- */

/* Early exits are predicted, and a lookup so guessed is not waited for. */
static void add_guessed_chains(json_t *lines, const json_t *cells)
{
    size_t i, below = 0;
    json_t *cell;
    json_array_foreach((json_t *)cells, i, cell) {
        double high = fb_json_num(fb_json_at(cell, "time.ratio_ci95"), "high");
        below += is_of(cell, "chain") && high < 1;
    }
    if (below)
        add(lines, json_sprintf("%zu chains are no latencies: the processor guesses the answer and "
                                "starts the next lookup without it.",
                                below));
}

static void add_left_out(json_t *lines, const json_t *skipped)
{
    const json_t *first = json_array_get(skipped, 0);
    const size_t n = json_array_size(skipped);
    char more[40] = "";
    if (n > 1)
        snprintf(more, sizeof more, "; and %zu more", n - 1);
    if (n)
        add(lines, json_sprintf("left out: %s: %s%s", fb_json_str(first, "id"),
                                fb_json_str(first, "why"), more));
}

/* That a run was short goes before all else. */
static void add_warnings(json_t *lines, const json_t *document, bool quick)
{
    json_t *warning;
    size_t i;
    json_array_foreach(json_object_get(document, "warnings"), i, warning)
        if (quick == !strcmp(fb_json_str(warning, "code"), "quick") &&
            strcmp(fb_json_str(warning, "code"), "yardstick")) /* print_plain says it */
            add(lines, json_sprintf("warning: %s", fb_json_str(warning, "detail")));
}

/* Filters of one load: of several each column names its own. */
static void add_load(json_t *lines, const json_t *loads)
{
    if (json_array_size(loads) == 1)
        add(lines, json_sprintf("load: filters hold %.4g of their slots, or of the keys that they "
                                "are sized for.",
                                json_number_value(json_array_get(loads, 0))));
}

static void add_refused(json_t *lines, const json_t *cells)
{
    size_t n_cells;
    const uint64_t refused = fb_kernels_refused(cells, &n_cells);
    if (refused)
        add(lines, json_sprintf("refused: %llu inserts of %zu cells of mixed operations found no "
                                "place.",
                                (unsigned long long)refused, n_cells));
}

static json_t *lines_of(const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    json_t *lines = json_array();
    add_warnings(lines, document, true);
    add_refused(lines, cells);
    add_load(lines, fb_json_at(document, "experiment.loads"));
    add_left_out(lines, json_object_get(document, "skipped"));
    add_warnings(lines, document, false);
    add_guessed_chains(lines, cells);
    return lines;
}

/* ---- What the times rest on ---- */

/* The check of the yardsticks, where plain loops were measured. */
static void print_plain(FILE *file, const json_t *cells)
{
    json_t *rows = fb_kernels_plain(cells), *row;
    size_t i, faster = 0;
    if (json_array_size(rows))
        fb_say(file, 2, "the fastest plain loop beside each yardstick, and its ratio:\n");
    json_array_foreach(rows, i, row) {
        const bool beats = json_is_true(json_object_get(row, "faster"));
        faster += beats;
        fb_say(file, 4, "  %-8s %-4s  %.3f  %s %s%s\n", fb_json_str(row, "design"),
               fb_json_str(row, "footprint"), fb_json_num(row, "ratio"), fb_json_str(row, "isa"),
               fb_json_str(row, "style"), beats ? ": the yardstick is not the limit here" : "");
    }
    const size_t n = json_array_size(rows);
    if (faster)
        fb_say(file, 2,
               "%zu of %zu yardsticks of lookups do not hold: a loop is over 5 %% faster.\n",
               faster, n);
    else if (n)
        fb_say(file, 2, "all %zu yardsticks of lookups hold: no loop is over 5 %% faster.\n", n);
    json_decref(rows);
}

/* Which loop stands for each yardstick. */
static void print_families(FILE *file, const json_t *document)
{
    const json_t *yardsticks = fb_json_at(document, "timing.yardsticks");
    json_t *y;
    size_t i;
    json_array_foreach((json_t *)yardsticks, i, y) {
        char ahead[48] = "no prefetch";
        if (fb_json_num(y, "ahead") > 0)
            snprintf(ahead, sizeof ahead, "%.0f keys ahead, %s", fb_json_num(y, "ahead"),
                     fb_json_str(y, "hint"));
        fb_say(file, 4, "%s %s at %s: %s, %s, of the %zu fastest loops\n", fb_json_str(y, "design"),
               fb_json_str(y, "operation"), fb_json_str(y, "footprint"), fb_json_str(y, "isa"),
               ahead, json_array_size(json_object_get(y, "members")));
    }
}

static bool is_measured(const json_t *cells, const char *footprint)
{
    size_t i;
    json_t *cell;
    json_array_foreach((json_t *)cells, i, cell)
        if (!strcmp(fb_json_str(cell, "footprint"), footprint))
            return true;
    return false;
}

static void print_timing(FILE *file, const json_t *document)
{
    const json_t *t = json_object_get(document, "timing");
    const char *name;
    json_t *bytes;
    char pinned[48] = "not pinned";
    if (json_is_integer(json_object_get(t, "pinned_cpu")))
        snprintf(pinned, sizeof pinned, "pinned to processor %.0f", fb_json_num(t, "pinned_cpu"));
    json_object_foreach((json_t *)fb_json_at(t, "footprints.filter_bytes"), name, bytes)
        if (is_measured(json_object_get(document, "cells"), name))
            fb_say(file, 2, "filters of %s: %.4g MB\n", name, json_number_value(bytes) / 1e6);
    fb_say(file, 2,
           "clock: %s; timer %.0f ns, quantum %.0f ns; %.0f processes of %.0f rounds, stopped by "
           "%s; %s\n",
           strcmp(fb_json_str(t, "clock"), "wall") ? "the thread's CPU" : "wall",
           fb_json_num(t, "timer.overhead_ns"), fb_json_num(t, "timer.quantum_ns"),
           fb_json_num(t, "processes"), fb_json_num(t, "rounds"), fb_json_str(t, "stopped"),
           pinned);
    fb_say(file, 2,
           "noise: %.0f of %.0f samples with a gap, %.0f still pre-empted, %.0f batches repeated\n",
           fb_json_num(t, "noise.samples_with_gap"), fb_json_num(t, "noise.samples"),
           fb_json_num(t, "noise.samples_preempted"), fb_json_num(t, "noise.batches_repeated"));
    if (fb_json_num(t, "memory.ratio") > 0)
        fb_say(file, 2,
               "memory of the noise: %.2f (0: every process draws anew; 1: measuring longer does "
               "not help);\nintervals are widened for it\n",
               fb_json_num(t, "memory.ratio"));
}

/* What ratios of each sort of operation are taken to, beside those of lookups. */
static const struct reference {
    const char *text;
    enum fb_operation operations[5]; /* [n] */
    size_t n;
} references[] = {
    {" For inserts they set a bit.", {FB_OP_INSERT}, 1},
    {" header and library: to the peer's loop or build.",
     {FB_OP_INLINE, FB_OP_INSERT_INLINE, FB_OP_BUILD_PEER},
     3},
    {" walks: to as many of them.", {FB_OP_WALK, FB_OP_WALK_BATCH}, 2},
    {" removals, mixed operations, builds and their parts: to their lookups.",
     {FB_OP_REMOVE, FB_OP_MIXED, FB_OP_BUILD, FB_OP_BUILD_KEYS, FB_OP_DIGEST},
     5},
};
enum { N_REFERENCES = sizeof references / sizeof *references };

static bool is_meant(const struct reference *r, const json_t *cells)
{
    size_t i;
    json_t *cell;
    json_array_foreach((json_t *)cells, i, cell)
        for (size_t o = 0; o < r->n; o++)
            if (is_of(cell, fb_operation_name(r->operations[o])) &&
                json_is_string(fb_json_at(cell, "time.ratio_to")))
                return true;
    return false;
}

/* Of the sizes: bits, rates, and what builds hold. Adds to `text`, which has room. */
static void add_sizes(char *text, const json_t *cells, const struct fb_kernels_shown *shown)
{
    size_t i;
    json_t *cell;
    bool by_rate = false, off = false, again = false, own = false;
    json_array_foreach((json_t *)cells, i, cell) {
        by_rate |= fb_json_num(cell, "params.fpr") > 0;
        off |= fb_kernels_is_off(cell);
        own |= fb_has_own_size(fb_json_str(cell, "design"), json_object_get(cell, "params"));
        again |= fb_json_num(cell, "build.attempts") > 1;
    }
    if (shown->bits)
        strcat(text, by_rate ? " bits: bits per key, the fewest that reach the rate."
                             : " bits: bits per key.");
    if (shown->bits && own)
        strcat(text, " ^: the design has one size and takes no bits per key.");
    if (shown->bits && off)
        strcat(text, " !: the design predicts a rate over a tenth off that of the column, or none. "
                     "All of its row is at its own rate.");
    if (shown->over)
        strcat(text, " rate: the rate predicted at those bits. over: the bits divided by the "
                     "fewest that any filter of that rate has, log2(1 / rate).");
    if (shown->held)
        strcat(text, " held: bytes per key beside the filter when the build holds most.");
    if (shown->held)
        strcat(text, again ? " x2: of two attempts." : "");
}

/* In lines of up to so many letters. */
static void print_wrapped(FILE *file, char *text)
{
    enum { MOST = 100 };
    char *line = text;
    while (strlen(line) > MOST) {
        char *end = line + MOST;
        while (*end != ' ')
            end--;
        *end = '\n';
        line = end + 1;
    }
    fb_say_aside(file, 2, "%s\n", text);
}

static void print_meaning(FILE *file, const json_t *cells, const struct fb_kernels_shown *shown)
{
    char text[1200] = "ns: median time of one operation.";
    if (shown->ratios)
        strcat(text, " ratio: to touch-32, touch-64 or fetch in the same rounds. They only load 32 "
                     "bytes, 64 bytes or a word.");
    for (size_t r = 0; shown->ratios && r < N_REFERENCES; r++)
        if (is_meant(&references[r], cells))
            strcat(text, references[r].text);
    strcat(text, shown->intervals ? " In brackets: its 95 % interval." : "");
    add_sizes(text, cells, shown);
    print_wrapped(file, text);
}

void fb_kernels_notes(FILE *file, const json_t *document, const struct fb_kernels_shown *shown)
{
    json_t *lines = lines_of(document);
    const size_t n = json_array_size(lines);
    const bool all = fb_screen_is_verbose() || n <= MOST_LINES;
    print_meaning(file, json_object_get(document, "cells"), shown);
    fb_result_say_tuning(file, document);
    for (size_t i = 0; !fb_screen_flows(file) && i < (all ? n : MOST_LINES - 1); i++)
        fb_say(file, 4, "%s\n", json_string_value(json_array_get(lines, i)));
    if (!all && !fb_screen_flows(file))
        fb_say(file, 4, "%zu more: --verbose tells them\n", n - (MOST_LINES - 1));
    print_plain(file, json_object_get(document, "cells"));
    if (fb_screen_is_verbose()) {
        print_families(file, document);
        print_timing(file, document);
    }
    json_decref(lines);
}
