/* Results of kind "kernels": what stands below their tables. */
#include <string.h>

#include "harness/base/screen.h"
#include "harness/kind/kernels/kernels.h"

static bool is_of(const json_t *cell, const char *operation)
{
    return !strcmp(fb_json_str(cell, "operation"), operation);
}

/* What a user has to know. Early exits are predicted, and a lookup so guessed is not waited for. */
static void print_caveats(FILE *file, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    const json_t *loads = fb_json_at(document, "experiment.loads");
    size_t n_cells, below = 0;
    const uint64_t refused = fb_kernels_refused(cells, &n_cells);
    char n[2][64];
    FB_EACH(cell, cells)
        below += is_of(cell, "chain") && fb_json_num(cell, "time.ratio_ci95.high") < 1;
    if (refused)
        fb_say(file, 4, "refused: %s of %s of mixed operations found no place.\n",
               fb_card_count(refused, "inserts", n[0]), fb_card_count(n_cells, "cells", n[1]));
    if (json_array_size(loads) == 1) /* of several each column names its own */
        fb_say(file, 4,
               "load: filters hold %.4g of their slots, or of the keys that they are sized for.\n",
               json_number_value(json_array_get(loads, 0)));
    if (below)
        fb_say(file, 4,
               "%zu chains are no latencies: the processor guesses the answer and starts the next "
               "lookup without it.\n",
               below);
}

/* ---- What the times rest on ---- */

/* Which loop stands for each yardstick. */
static void print_families(FILE *file, const json_t *document)
{
    const json_t *yardsticks = fb_json_at(document, "timing.yardsticks");
    FB_EACH(y, yardsticks) {
        char ahead[48] = "no prefetch";
        if (fb_json_num(y, "ahead") > 0)
            snprintf(ahead, sizeof ahead, "%.0f keys ahead, %s", fb_json_num(y, "ahead"),
                     fb_json_str(y, "hint"));
        fb_say(file, 4, "%s %s at %s: %s, %s, of the %zu fastest loops\n", fb_json_str(y, "design"),
               fb_json_str(y, "operation"), fb_json_str(y, "footprint"), fb_json_str(y, "isa"),
               ahead, json_array_size(json_object_get(y, "members")));
    }
}

static void print_timing(FILE *file, const json_t *document)
{
    const json_t *t = json_object_get(document, "timing");
    char pinned[48] = "not pinned";
    if (json_is_integer(json_object_get(t, "pinned_cpu")))
        snprintf(pinned, sizeof pinned, "pinned to processor %.0f", fb_json_num(t, "pinned_cpu"));
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

/* "Filters of 10 bits per key: L1 0.0125 MB, L3 8 MB." What a footprint is depends on the machine,
 * and on --quick. */
static void say_sizes(FILE *file, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells"), *size = NULL, *its;
    char text[200] = "", bits[40] = "";
    bool one = true;
    FB_EACH(cell, cells) {
        its = fb_json_at(cell, "params.bits_per_key");
        one = one && (!json_is_number(its) || !size || json_equal(size, its));
        size = json_is_number(its) ? its : size;
    }
    if (one && size)
        snprintf(bits, sizeof bits, " of %.4g bits per key", json_number_value(size));
    FB_EACH_MEMBER(name, bytes, fb_json_at(document, "timing.footprints.filter_bytes"))
        if (fb_json_find(cells, "footprint", name))
            fb_append(text, sizeof text, "%s%s %.4g MB", *text ? ", " : "", name,
                      json_number_value(bytes) / 1e6);
    if (*text)
        fb_say_aside(file, 2, "Filters%s: %s.\n", bits, text);
}

void fb_kernels_notes(FILE *file, const json_t *document)
{
    say_sizes(file, document);
    fb_say_aside(
        file, 2,
        "ns: median time of one operation. ratio: to the row that says yardstick.\nOf removals, "
        "mixed operations and builds: to their lookups. ^: a design of one size. !: a rate "
        "over a tenth off that of the column.\n");
    fb_result_say_tuning(file, document);
    if (!fb_screen_flows(file))
        print_caveats(file, document);
    fb_result_notes(file, document);
    if (fb_screen_is_verbose()) {
        print_families(file, document);
        print_timing(file, document);
    }
}
