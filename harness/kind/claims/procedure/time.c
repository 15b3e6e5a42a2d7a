/*
 * Claims about time: ratios of pieces of work measured in the same rounds, with 99 % intervals over
 * processes. There is no theory of ours to confirm, so these rows have no model; nanoseconds belong
 * to this machine and are printed, never judged.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/filter/pieces.h"
#include "harness/kind/claims/procedure/table.h"

enum { PROCESSES = 10, ROUNDS = 3 };

static size_t registry_index(const char *name, bool hash)
{
    size_t n = hash ? fb_n_hashes() : fb_n_designs();
    for (size_t i = 0; i < n; i++)
        if (!strcmp(hash ? fb_hash_at(i)->name : fb_design_at(i)->name, name))
            return i;
    return n;
}

/* The kernel of a style, or the best this machine runs ("best"); the first is the plain loop. */
static uint32_t kernel_index(const struct fb_design *design, const char *style)
{
    const struct fb_kernel *best = fb_kernel_find(design, FB_ISA_NONE);
    for (uint32_t i = 0; design->kernels[i]; i++)
        if (!strcmp(style, "best") ? design->kernels[i] == best
                                   : !strcmp(design->kernels[i]->style, style))
            return i;
    return 0;
}

static enum fb_err parse_filter(struct fb_bench *bench, const json_t *json, struct fb_piece *piece)
{
    const struct fb_design *design = fb_arg_design(bench, json);
    const char *why;
    if (bench->err)
        return bench->err;
    piece->design = (uint32_t)registry_index(design->name, false);
    piece->kernel = kernel_index(design, fb_arg_text(json, "style", "best"));
    piece->n_keys = fb_arg_count(json, "n", 100000);
    piece->hit_ratio = fb_arg_number(json, "hit_ratio", 0);
    piece->params = fb_arg_params(json);
    enum fb_err err = fb_params_resolve(design, piece->n_keys, &piece->params, &why);
    return fb_bench_check(bench, err, design->name, why);
}

static enum fb_err parse_piece(struct fb_bench *bench, const json_t *json, struct fb_piece *piece)
{
    const char *kind = fb_arg_text(json, "piece", ""), *hash = fb_arg_text(json, "hash", "xxh64");
    memset(piece, 0, sizeof *piece);
    while (piece->kind < FB_N_PIECES && strcmp(fb_piece_name(piece->kind), kind) != 0)
        piece->kind++;
    if (piece->kind == FB_N_PIECES)
        return fb_bench_fail(bench, FB_EINVAL, "no piece of work '%.40s'", kind);
    piece->hash = (uint32_t)registry_index(hash, true);
    if (piece->hash == fb_n_hashes())
        return fb_bench_fail(bench, FB_EINVAL, "no hash '%.40s'", hash);
    piece->key_len = (uint32_t)fb_arg_count(json, "key_len", 0);
    piece->probes = (uint32_t)fb_arg_count(json, "probes", 1);
    piece->n_bits = fb_arg_count(json, "m", 1000000);
    if (piece->kind == FB_PIECE_QUERY || piece->kind == FB_PIECE_EACH ||
        piece->kind == FB_PIECE_CHECK)
        return parse_filter(bench, json, piece);
    return FB_OK;
}

/* The pieces under `key`, measured together. */
static enum fb_err measure(struct fb_bench *bench, const json_t *args, size_t *n,
                           struct fb_piece_estimate *out)
{
    struct fb_piece pieces[FB_MAX_PIECES];
    const json_t *list = json_object_get(args, "pieces");
    bool complete;
    *n = json_array_size(list);
    if (*n < 1 || *n > FB_MAX_PIECES)
        return fb_bench_fail(bench, FB_EINVAL, "1 to %d pieces are measured together",
                             FB_MAX_PIECES);
    for (size_t i = 0; i < *n; i++) {
        enum fb_err err = parse_piece(bench, json_array_get(list, i), &pieces[i]);
        if (err)
            return err;
    }
    enum fb_err err = fb_pieces_measure(pieces, *n, PROCESSES, ROUNDS, bench->root, out, &complete);
    if (!err && !complete)
        fb_bench_interrupt(bench);
    return fb_bench_check(bench, err, "pieces", NULL);
}

/* What each piece took, for the remark. */
static void list_times(const json_t *args, const struct fb_piece_estimate *times, size_t n,
                       struct fb_finding *out)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *piece = json_array_get(json_object_get(args, "pieces"), i);
        fb_find_remark(out, "%s%s %.3g ns", i ? ", " : "", fb_arg_text(piece, "name", "it"),
                       times[i].ns);
    }
}

static void find_time(struct fb_finding *out, double value, struct fb_interval interval,
                      double level)
{
    fb_find_interval(out, NAN, value, interval.low, interval.high);
    out->level = level;
}

/* pieces[1] against pieces[0]; further pieces are only told. */
static void time_ratio(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_piece_estimate times[FB_MAX_PIECES];
    size_t n;
    if (measure(bench, args, &n, times))
        return;
    if (n < 2)
        fb_bench_fail(bench, FB_EINVAL, "a ratio takes two pieces");
    find_time(out, times[1].ratio, times[1].ratio99, 0.99);
    list_times(args, times, n, out);
}

/* Finds how many neighbours of the list, claimed to be ascending, are certainly inverted: the 99 %
 * interval of one lies wholly below that of the one before. */
static void time_order(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_piece_estimate times[FB_MAX_PIECES];
    size_t n, inverted = 0;
    if (measure(bench, args, &n, times))
        return;
    for (size_t i = 1; i < n; i++)
        inverted += times[i].ratio99.high < times[i - 1].ratio99.low;
    find_time(out, (double)inverted, (struct fb_interval){(double)inverted, (double)inverted},
              0.99);
    list_times(args, times, n, out);
}

/* Nanoseconds of one piece, printed beside the machine. */
static void time_absolute(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_piece_estimate times[FB_MAX_PIECES];
    size_t n;
    if (measure(bench, args, &n, times))
        return;
    find_time(out, times[0].ns, times[0].ns95, 0.95);
}

const struct fb_procedure fb_time_procedures[] = {
    {"time-ratio", time_ratio, FB_TIMED},
    {"time-order", time_order, FB_TIMED},
    {"time-absolute", time_absolute, FB_MACHINE_ONLY},
    {0},
};
