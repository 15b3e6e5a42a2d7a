/* Results of kind "kernels": what stands below their tables. */
#include <math.h>
#include <string.h>

#include "harness/kind/kernels/kernels.h"

static bool is_of(const json_t *cell, const char *operation)
{
    return !strcmp(fb_json_str(cell, "operation"), operation);
}

/* Whether some yardstick is slower than the loop anyone would write; the ratios show it. */
static void print_plain(FILE *file, const json_t *cells)
{
    size_t i, slower = 0, n = 0;
    json_t *cell;
    json_array_foreach(cells, i, cell) {
        const json_t *time = json_object_get(cell, "time");
        if (!is_of(cell, "plain"))
            continue;
        fprintf(file, "%s %.2f times %s at %s",
                n++ ? "," : "A plain loop over the same digests takes", fb_json_num(time, "ratio"),
                fb_json_str(cell, "design"), fb_json_str(cell, "footprint"));
        double high = fb_json_num(json_object_get(time, "ratio_ci95"), "high");
        slower += (isfinite(high) ? high : fb_json_num(time, "ratio")) < 1;
    }
    if (slower)
        fprintf(file, ":\nWARNING: %zu yardsticks are slower than it; ratios to those flatter.\n",
                slower);
    else if (n)
        fputs(": no yardstick is slower.\n", file);
}

/* Early exits are predicted, and a lookup so guessed is not waited for. */
static void print_chains(FILE *file, const json_t *cells)
{
    size_t i, below = 0;
    json_t *cell;
    json_array_foreach(cells, i, cell) {
        double high = fb_json_num(fb_json_at(cell, "time.ratio_ci95"), "high");
        below += is_of(cell, "chain") && high < 1;
    }
    if (below)
        fprintf(
            file,
            "%zu chains are faster than their yardstick's: the processor guesses the early exit "
            "and starts the\nnext lookup before the answer is there. Those are no latencies.\n",
            below);
}

static void print_timing(FILE *file, const json_t *document)
{
    const json_t *t = json_object_get(document, "timing");
    const char *name;
    json_t *bytes;
    fprintf(file,
            "ns/op: median, %s time; ratio: to touch-32 for blocks of 32 bytes, to touch-64 for "
            "all others,\nof the same rounds; [95 %% interval over processes]. ",
            strcmp(fb_json_str(t, "clock"), "wall") ? "thread CPU" : "wall");
    if (json_array_size(fb_json_at(document, "experiment.fpr")))
        fputs("\nbits: per key, the fewest that reach the rate; !: the rate predicted for them is "
              "over a tenth off. ",
              file);
    fputs("Filters:", file);
    json_object_foreach((json_t *)fb_json_at(t, "footprints.filter_bytes"), name, bytes)
        fprintf(file, " %s %.4g MB", name, json_number_value(bytes) / 1e6);
    fprintf(file, "\n%.0f processes of %.0f rounds, stopped by %s; ", fb_json_num(t, "processes"),
            fb_json_num(t, "rounds"), fb_json_str(t, "stopped"));
    if (json_is_integer(json_object_get(t, "pinned_cpu")))
        fprintf(file, "pinned to processor %.0f", fb_json_num(t, "pinned_cpu"));
    else
        fputs("not pinned", file);
    fprintf(file, "; timer %.0f ns, quantum %.0f ns\n", fb_json_num(t, "timer.overhead_ns"),
            fb_json_num(t, "timer.quantum_ns"));
    fprintf(file,
            "noise: %.0f of %.0f samples with a gap, %.0f still pre-empted, %.0f batches "
            "repeated\n",
            fb_json_num(t, "noise.samples_with_gap"), fb_json_num(t, "noise.samples"),
            fb_json_num(t, "noise.samples_preempted"), fb_json_num(t, "noise.batches_repeated"));
    if (fb_json_num(t, "memory.ratio") > 0)
        fprintf(file,
                "memory of the noise: %.2f (0: every process draws anew; 1: measuring longer does "
                "not help);\nintervals are widened for it\n",
                fb_json_num(t, "memory.ratio"));
}

void fb_kernels_notes(FILE *file, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    print_plain(file, cells);
    print_chains(file, cells);
    print_timing(file, document);
    fb_result_notes(file, document, SIZE_MAX);
}
