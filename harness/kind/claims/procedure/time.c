/*
 * Claims about time: ratios of pieces of work measured in the same rounds, with 99 % intervals over
 * processes. There is no theory of ours to confirm, so these rows have no model; nanoseconds belong
 * to this machine and are printed, never judged.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/filter/pieces.h"
#include "harness/kind/claims/procedure/table.h"

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
    return fb_piece_has_filter(piece) ? parse_filter(bench, json, piece) : FB_OK;
}

static enum fb_err open_set(void *self, const struct fb_group_options *options, struct fb_part *out,
                            const char **why)
{
    return fb_pieces_open(self, options, out, why);
}

static void close_set(void *self)
{
    fb_pieces_close(self);
    free(self);
}

/* Asks for the pieces under "pieces", of which ratios are to the first. */
static enum fb_err ask(struct fb_bench *bench, const json_t *args)
{
    json_t *list = json_object_get(args, "pieces");
    struct fb_times_part part = {
        .key = list, .n = json_array_size(list), .open = open_set, .close = close_set};
    if (part.n < 1 || part.n > FB_MAX_PIECES)
        return fb_bench_fail(bench, FB_EINVAL, "1 to %d pieces are measured together",
                             FB_MAX_PIECES);
    if (bench->err || fb_times_find(&bench->times, list))
        return bench->err;
    struct fb_piece_set *set = part.self = fb_bench_alloc(bench, 1, sizeof *set);
    for (size_t i = 0; i < part.n && !bench->err; i++) {
        part.to[i] = i ? 0 : -1;
        parse_piece(bench, json_array_get(list, i), &set->pieces[i]);
    }
    if (bench->err) {
        free(set);
        return bench->err;
    }
    set->n = part.n;
    return fb_bench_check(bench, fb_times_add(&bench->times, part), "pieces", NULL);
}

/* The pieces with their estimates; NULL if they are not known yet. */
static const struct fb_member *times_of(struct fb_bench *bench, const json_t *args)
{
    return ask(bench, args) ? NULL : fb_times_members(&bench->times);
}

/* What each piece took, for the remark. */
static void list_times(const json_t *args, const struct fb_member *m, struct fb_finding *out)
{
    size_t i;
    json_t *piece;
    json_array_foreach(json_object_get(args, "pieces"), i, piece)
        fb_find_remark(out, "%s%s %.3g ns", i ? ", " : "", fb_arg_text(piece, "name", "it"),
                       m[i].estimate.ns);
}

/* pieces[1] against pieces[0]; further pieces are only told. */
static void time_ratio(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    if (json_array_size(json_object_get(args, "pieces")) == 1)
        fb_bench_fail(bench, FB_EINVAL, "a ratio takes two pieces");
    const struct fb_member *m = times_of(bench, args);
    if (!m)
        return;
    fb_find_time(out, m[1].estimate.ratio, m[1].estimate.ratio99, 0.99);
    list_times(args, m, out);
}

/* Neighbours of the list, claimed to be ascending, that are out of order. The interval runs from
 * those that certainly are (the 99 % interval of one lies wholly below that of the one before) to
 * those that are not certainly in order. */
static void time_order(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const struct fb_member *m = times_of(bench, args);
    double inverted = 0, certainly = 0, possibly = 0, last = 1;
    struct fb_interval before = {1, 1};
    if (!m)
        return;
    for (size_t i = 1; i < json_array_size(json_object_get(args, "pieces")); i++) {
        const struct fb_interval each = m[i].estimate.ratio99;
        inverted += m[i].estimate.ratio < last;
        certainly += each.high < before.low;
        possibly += !(each.low > before.high);
        last = m[i].estimate.ratio;
        before = each;
    }
    fb_find_time(out, inverted, (struct fb_interval){certainly, possibly}, 0.99);
    list_times(args, m, out);
}

/* Percent that piece `part` is of the sum of the first `of` pieces. A share rises with its own time
 * and falls with the others', so the ends of its interval are where those of the ratios oppose it.
 */
static void time_share(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const uint64_t part = fb_arg_count(args, "part", 0), of = fb_arg_count(args, "of", 2);
    double others = 0, others_low = 0, others_high = 0;
    if (of < 2 || part >= of || of > json_array_size(json_object_get(args, "pieces")))
        fb_bench_fail(bench, FB_EINVAL, "a share takes two pieces, and is of one of them");
    const struct fb_member *m = times_of(bench, args);
    if (!m)
        return;
    for (size_t i = 0; i < of; i++) {
        const bool first = i == 0;
        others += i == part ? 0 : first ? 1 : m[i].estimate.ratio;
        others_low += i == part ? 0 : first ? 1 : m[i].estimate.ratio99.low;
        others_high += i == part ? 0 : first ? 1 : m[i].estimate.ratio99.high;
    }
    const double own = part ? m[part].estimate.ratio : 1;
    const struct fb_interval mine = part ? m[part].estimate.ratio99 : (struct fb_interval){1, 1};
    fb_find_time(out, 100 * own / (own + others),
                 (struct fb_interval){100 * mine.low / (mine.low + others_high),
                                      100 * mine.high / (mine.high + others_low)},
                 0.99);
    list_times(args, m, out);
}

/* Nanoseconds of one piece, printed beside the machine. */
static void time_absolute(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const struct fb_member *m = times_of(bench, args);
    if (m)
        fb_find_time(out, m[0].estimate.ns, m[0].estimate.ns95, 0.95);
}

const struct fb_procedure fb_time_procedures[] = {
    {"time-ratio", time_ratio, FB_TIMED},
    {"time-order", time_order, FB_TIMED},
    {"time-share", time_share, FB_TIMED},
    {"time-absolute", time_absolute, FB_MACHINE_ONLY},
    {0},
};
