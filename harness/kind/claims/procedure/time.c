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

/* ---- What is timed ---- */

/* A part: pieces whose ratios are to the first, or of which each stands alone. */
struct set {
    struct fb_piece_set pieces; /* first: fb_pieces_open and fb_pieces_close are given the set */
    bool alone;
};

static enum fb_err open_set(void *self, const struct fb_group_options *options, struct fb_part *out,
                            const char **why)
{
    return fb_pieces_open(&((struct set *)self)->pieces, options, out, why);
}

static void close_set(void *self)
{
    fb_pieces_close(&((struct set *)self)->pieces);
    free(self);
}

/* The members that the pieces are, or become, in a part; false if they do not fit into it. */
static bool join(struct fb_times_part *part, const struct fb_piece *pieces, size_t n,
                 size_t *members)
{
    struct set *set = part->self;
    struct fb_piece_set *s = &set->pieces;
    const bool alone = n == 1;
    if (part->open != open_set || set->alone != alone ||
        (s->n && !alone && !fb_piece_equal(&s->pieces[0], &pieces[0])))
        return false;
    size_t total = s->n;
    for (size_t i = 0; i < n; i++) {
        members[i] = 0;
        while (members[i] < s->n && !fb_piece_equal(&s->pieces[members[i]], &pieces[i]))
            members[i]++;
        if (members[i] == s->n)
            members[i] = total++;
    }
    if (total > FB_MAX_PIECES)
        return false;
    for (size_t i = 0; i < n; i++)
        s->pieces[members[i]] = pieces[i];
    for (; part->n < total; part->n++)
        part->to[part->n] = part->n && !alone ? 0 : -1;
    s->n = total;
    return true;
}

/* Asks for the pieces: the members that they are of the part asked for. */
static enum fb_err ask(struct fb_bench *bench, const struct fb_piece *pieces, size_t n,
                       size_t *members)
{
    struct fb_times *times = &bench->times;
    for (times->asked = 0; times->asked < times->n; times->asked++)
        if (join(&times->parts[times->asked], pieces, n, members))
            return FB_OK;
    struct set *set = fb_bench_alloc(bench, 1, sizeof *set);
    if (!set)
        return bench->err;
    set->alone = n == 1;
    struct fb_times_part *part = fb_times_add(
        times, (struct fb_times_part){.self = set, .open = open_set, .close = close_set});
    if (part)
        join(part, pieces, n, members);
    return fb_bench_check(bench, part ? FB_OK : FB_ENOMEM, "pieces", NULL);
}

/* Estimates of the pieces under "pieces"; their number, 0 where there are none yet. */
static size_t times_of(struct fb_bench *bench, const json_t *args,
                       const struct fb_estimate *out[FB_MAX_PIECES])
{
    struct fb_piece pieces[FB_MAX_PIECES];
    size_t members[FB_MAX_PIECES];
    const json_t *list = json_object_get(args, "pieces");
    const size_t n = json_array_size(list);
    if (n < 1 || n > FB_MAX_PIECES) {
        fb_bench_fail(bench, FB_EINVAL, "1 to %d pieces are measured together", FB_MAX_PIECES);
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        if (parse_piece(bench, json_array_get(list, i), &pieces[i]))
            return 0;
    if (ask(bench, pieces, n, members))
        return 0;
    const struct fb_member *timed = fb_times_members(&bench->times);
    for (size_t i = 0; timed && i < n; i++)
        out[i] = &timed[members[i]].estimate;
    return timed ? n : 0;
}

/* ---- What is found ---- */

/* What each piece took, for the remark. */
static void list_times(const json_t *args, const struct fb_estimate **times, size_t n,
                       struct fb_finding *out)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *piece = json_array_get(json_object_get(args, "pieces"), i);
        fb_find_remark(out, "%s%s %.3g ns", i ? ", " : "", fb_arg_text(piece, "name", "it"),
                       times[i]->ns);
    }
}

/* pieces[1] against pieces[0]; further pieces are only told. */
static void time_ratio(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const struct fb_estimate *times[FB_MAX_PIECES];
    if (json_array_size(json_object_get(args, "pieces")) == 1)
        fb_bench_fail(bench, FB_EINVAL, "a ratio takes two pieces");
    size_t n = bench->err ? 0 : times_of(bench, args, times);
    if (!n)
        return;
    fb_find_time(out, times[1]->ratio, times[1]->ratio99, 0.99);
    list_times(args, times, n, out);
}

/* Finds how many neighbours of the list, claimed to be ascending, are certainly inverted: the 99 %
 * interval of one lies wholly below that of the one before. */
static void time_order(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const struct fb_estimate *times[FB_MAX_PIECES];
    size_t n = times_of(bench, args, times);
    double inverted = 0;
    if (!n)
        return;
    for (size_t i = 1; i < n; i++)
        inverted += times[i]->ratio99.high < (i > 1 ? times[i - 1]->ratio99.low : 1);
    fb_find_time(out, inverted, (struct fb_interval){inverted, inverted}, 0.99);
    list_times(args, times, n, out);
}

/* Nanoseconds of one piece, printed beside the machine. */
static void time_absolute(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const struct fb_estimate *times[FB_MAX_PIECES];
    if (times_of(bench, args, times))
        fb_find_time(out, times[0]->ns, times[0]->ns95, 0.95);
}

const struct fb_procedure fb_time_procedures[] = {
    {"time-ratio", time_ratio, FB_TIMED},
    {"time-order", time_order, FB_TIMED},
    {"time-absolute", time_absolute, FB_MACHINE_ONLY},
    {0},
};
