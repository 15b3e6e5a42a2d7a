/* Facts of a cell of kind "lsm" that contradict each other or what was asked for. */
#include <math.h>
#include <string.h>

#include "filters/core/bits.h"
#include "filters/core/simulate.h"
#include "harness/kind/lsm/lsm.h"

/* Sums of whatever stands there wrap around, which is no fault of the sum. */
static uint64_t whole(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

static uint64_t whole_at(const json_t *object, const char *list, size_t i)
{
    return (uint64_t)json_integer_value(json_array_get(json_object_get(object, list), i));
}

static uint64_t sum_of(const json_t *object, const char *list)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < json_array_size(json_object_get(object, list)); i++)
        sum += whole_at(object, list, i);
    return sum;
}

/* ---- What was asked for ---- */

static const char *wrong_params(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                                const json_t *params)
{
    static const char *const names[] = {
        "bits_per_key", "fpr",         "allocation",       "hash", "prefix", "whole_key", "absent",
        "absent_kind",  "cache_bytes", "filter_residency", NULL};
    double absent = e->streams[planned->stream].absent;
    const char *where = NULL, *const *name = names;
    if (e->trees[planned->tree].trace) /* the trace says */
        absent = json_number_value(json_object_get(params, "absent"));
    json_t *asked = fb_lsm_params_json(e, planned, absent);
    while (*name &&
           fb_json_agree(json_object_get(asked, *name), json_object_get(params, *name), &where))
        name++;
    json_decref(asked);
    return *name;
}

/* How many keys the queries ask for, in effect: null where they ask for none. */
static const char *wrong_effective(const json_t *cell)
{
    const json_t *effective = json_object_get(cell, "effective");
    const double absent = fb_json_num(cell, "params.absent");
    if (absent >= 1 && !json_is_null(json_object_get(effective, "present")))
        return "effective.present";
    return absent > 0 || json_is_null(json_object_get(effective, "absent")) ? NULL
                                                                            : "effective.absent";
}

/* ---- The tree ---- */

/* Designs that take a word for each probe have as many as the most probes of any filter. */
static const char *wrong_words(const struct fb_design *design, const json_t *cell)
{
    const json_t *runs = json_object_get(cell, "runs");
    uint64_t words = whole(json_object_get(cell, "filter"), "digest_words"), most = 1;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        uint64_t probes = whole(json_array_get(runs, i), "probes");
        most = probes > most ? probes : most;
    }
    return design->digest_words ? (words == design->digest_words ? NULL : "filter.digest_words")
                                : (words >= most ? NULL : "filter.digest_words");
}

static const char *wrong_sums(const json_t *cell)
{
    const json_t *tree = json_object_get(cell, "tree"), *runs = json_object_get(cell, "runs");
    uint64_t keys = 0, segments = 0, units = 0, bytes = 0;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        keys += whole(run, "keys");
        segments += whole(run, "segments");
        units += json_is_true(json_object_get(run, "memtable")) ? 0 : whole(run, "units");
        bytes += whole(run, "bytes");
    }
    if (json_array_size(runs) != whole(tree, "runs"))
        return "tree.runs";
    if (keys != whole(cell, "n"))
        return "n";
    if (segments != whole(tree, "segments"))
        return "tree.segments";
    if (units != whole(tree, "units"))
        return "tree.units";
    return bytes == whole(json_object_get(cell, "filter"), "bytes") ? NULL : "filter.bytes";
}

/* The tree of generated keys; false: there is none of this shape. */
static bool stand_up(const struct fb_lsm *e, size_t number, struct fb_lsm_facts *facts)
{
    const struct fb_lsm_tree *spec = &e->trees[number];
    struct fb_tree_shape shape;
    struct fb_problem problem;
    const char *why = NULL;
    uint64_t n;
    if (facts->tree.runs && facts->number == number)
        return true;
    fb_tree_close(&facts->tree);
    facts->number = number;
    if (!fb_lsm_shape(e, number, &shape, &problem) || fb_tree_n_keys(&shape, &n, &why))
        return false;
    fb_keyspace_generate(&spec->keygen, FB_ORDER_SHUFFLE, n, e->seed, &facts->space);
    return fb_tree_make(&shape, &facts->space, 0, &facts->tree, &why) == FB_OK;
}

/* The filter of a run that has one, of all of its keys, planned again. */
static const char *wrong_single(const struct fb_lsm_filter *filter, const struct fb_params *asked,
                                uint64_t n_keys, const json_t *j)
{
    const struct fb_design *design = filter->design;
    const json_t *model = json_object_get(j, "model");
    struct fb_params params = *asked;
    struct fb_geometry geom;
    const char *why;
    if (fb_params_plan(design, n_keys, &params, &geom, &why) || geom.n_bytes != whole(j, "bytes"))
        return "bytes";
    if (geom.probes != whole(j, "probes"))
        return "probes";
    const bool closed =
        !fb_scheme_needs_simulation(design->scheme, n_keys, geom.n_bits, geom.probes);
    const double rate = closed ? design->fpr(&geom, n_keys) : NAN;
    return isfinite(rate) ? (fabs(json_number_value(model) - rate) <= 1e-9 * rate ? NULL : "model")
                          : (json_is_null(model) ? NULL : "model");
}

static const char *wrong_run(const struct fb_lsm_filter *filter, const struct fb_run *run,
                             const struct fb_params *params, const json_t *j)
{
    const struct {
        const char *name;
        uint64_t value;
    } members[] = {{"level", run->level},
                   {"keys", run->n_keys},
                   {"segments", run->n_segments},
                   {"units", fb_run_units(run)}};
    bool has = !run->memtable && params->bits_per_key >= 0;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].value != whole(j, members[i].name))
            return members[i].name;
    if (run->memtable != json_is_true(json_object_get(j, "memtable")))
        return "memtable";
    const double bits = has ? params->bits_per_key : 0, rate = has ? params->fpr : 0;
    if (fabs(json_number_value(json_object_get(j, "bits_asked")) - fmax(bits, 0)) > 1e-9)
        return "bits_asked";
    if (fabs(json_number_value(json_object_get(j, "rate_asked")) - fmax(rate, 0)) > 1e-12)
        return "rate_asked";
    const json_t *model = json_object_get(j, "model");
    if (json_is_number(model)
            ? !has || !(json_number_value(model) >= 0) || json_number_value(model) > 1
            : !json_is_null(model))
        return "model";
    if (!has && whole(j, "bytes"))
        return "bytes";
    if (has != json_is_integer(json_object_get(j, "probes")))
        return "probes";
    const bool planned = has && fb_run_units(run) == 1 && filter->prefix.kind == FB_PREFIX_NONE &&
                         !(filter->design->traits & FB_DROPS_ADJACENT);
    return planned ? wrong_single(filter, params, run->n_keys, j) : NULL;
}

static const char *wrong_tree(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                              const json_t *cell, struct fb_lsm_facts *facts)
{
    const struct fb_lsm_tree *spec = &e->trees[planned->tree];
    const json_t *j = json_object_get(cell, "tree"), *runs = json_object_get(cell, "runs");
    const struct fb_tree *tree = &facts->tree;
    struct fb_params params[FB_MAX_RUNS];
    double share[FB_MAX_RUNS];
    const char *why = NULL, *wrong = NULL;
    double shares = 0;
    if (strcmp(fb_json_str(j, "style"), fb_style_name(spec->style)))
        return "tree.style";
    if (strcmp(fb_json_str(j, "order"), fb_order_name(spec->order)))
        return "tree.order";
    if (spec->file || spec->trace)
        return NULL;
    if (!stand_up(e, planned->tree, facts) || tree->n_runs != json_array_size(runs))
        return "tree.runs";
    const struct {
        const char *name;
        uint64_t value;
    } members[] = {{"levels", tree->n_levels},
                   {"segment_keys", tree->segment_keys},
                   {"unit_keys", tree->unit_keys}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].value != whole(j, members[i].name))
            return members[i].name;
    if (json_is_true(json_object_get(j, "ranks_exact")) != (tree->n_keys <= FB_LSM_LIST_LIMIT))
        return "ranks_exact";
    for (size_t i = 0; i < tree->n_runs; i++)
        shares += share[i] =
            json_number_value(json_object_get(json_array_get(runs, i), "holder_share"));
    const bool held = fb_json_num(cell, "params.absent") < 1;
    if (fabs(shares - (held ? 1 : 0)) > 1e-9)
        return "holder_share";
    if (fb_lsm_params(e, &e->filters[planned->filter], tree,
                      json_number_value(fb_json_at(cell, "params.absent")), share, params, &why))
        return "params";
    for (size_t i = 0; i < tree->n_runs && !wrong; i++)
        wrong = wrong_run(&e->filters[planned->filter], &tree->runs[i], &params[i],
                          json_array_get(runs, i));
    return wrong;
}

/* ---- Counts ---- */

static const char *wrong_queries(const json_t *counts)
{
    static const char *const sums[][2] = {
        {"run_false", "data_false"}, {"asked_histogram", "queries"}, {"io_histogram", "queries"}};
    uint64_t queries = whole(counts, "queries"), absent = whole(counts, "absent");
    uint64_t there = whole(counts, "present") + whole(counts, "deleted");
    if (queries < 1 || absent + there != queries)
        return "counts.queries";
    for (size_t s = 0; s < sizeof sums / sizeof *sums; s++)
        if (!json_is_array(json_object_get(counts, sums[s][0])) ||
            sum_of(counts, sums[s][0]) != whole(counts, sums[s][1]))
            return sums[s][0];
    if (there != sum_of(counts, "run_held") + whole(counts, "false_negatives"))
        return "run_held";
    return whole(counts, "any_false") <= absent &&
                   whole(counts, "any_false") <= whole(counts, "false_squares")
               ? NULL
               : "any_false";
}

/* What follows from the lists by run. Blind queries, of keys without a prefix, ask no filter. */
static const char *wrong_by_run(const json_t *cell)
{
    const json_t *counts = json_object_get(cell, "counts"), *runs = json_object_get(cell, "runs");
    const bool blind = json_is_false(fb_json_at(cell, "params.whole_key"));
    uint64_t searches = 0, found = 0, held = 0, checks = 0, in_range = 0, asked = 0;
    uint64_t left = whole(counts, "queries");
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        const uint64_t reached = whole_at(counts, "run_reached", i);
        const uint64_t seen = whole_at(counts, "run_asked", i);
        if (reached != left || seen > reached)
            return "run_reached";
        left -= whole_at(counts, "run_held", i);
        if (json_is_true(json_object_get(run, "memtable"))) {
            if (seen)
                return "run_asked";
            searches += reached;
            found += whole_at(counts, "run_held", i);
            continue;
        }
        held += whole_at(counts, "run_held", i);
        checks += reached;
        in_range += seen;
        asked += json_is_integer(json_object_get(run, "probes")) ? seen : 0;
    }
    if (found != whole(counts, "memtable_found"))
        return "memtable_found";
    if (searches != whole(counts, "memtable_searches"))
        return "memtable_searches";
    if (json_is_integer(json_object_get(counts, "memtable_comparisons"))
            ? whole(counts, "memtable_comparisons") < found ||
                  (!searches && whole(counts, "memtable_comparisons"))
            : !searches)
        return "memtable_comparisons";
    if (checks != whole(counts, "range_checks"))
        return "range_checks";
    if (checks - in_range != whole(counts, "pruned"))
        return "pruned";
    if (whole(counts, "data_found") + whole(counts, "data_tombstone") != held)
        return "data_found";
    return blind ? (asked >= whole(counts, "asked") ? NULL : "run_asked")
                 : (asked == whole(counts, "asked") ? NULL : "run_asked");
}

/* A histogram whose last bin, 64, is open, and the sum over queries of its number or its square. */
static bool fits_histogram(const json_t *counts, const char *name, uint64_t sum, bool squares)
{
    const json_t *bins = json_object_get(counts, name);
    uint64_t known = 0;
    for (size_t i = 0; i < json_array_size(bins); i++)
        known += whole_at(counts, name, i) * (squares ? i * i : i);
    return json_array_size(bins) <= 64 ? sum == known : sum >= known;
}

static const char *wrong_blocks(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                                const json_t *counts)
{
    static const char *const blocks[][2] = {{"read_found", "data_found"},
                                            {"read_false", "data_false"},
                                            {"read_tombstone", "data_tombstone"},
                                            {"read_index", "index_blocks"},
                                            {"read_filter", "filter_blocks"}};
    const struct fb_lsm_reading *reading = &e->readings[planned->reading];
    const bool cached = reading->cache_bytes && e->reading.policy != FB_CACHE_NONE;
    const uint64_t asked = reading->filters == FB_PINNED ? 0 : whole(counts, "asked");
    uint64_t reads = 0, data = 0, data_reads = 0;
    for (size_t i = 0; i < 5; i++) {
        uint64_t read = whole(counts, blocks[i][0]), wanted = whole(counts, blocks[i][1]);
        if (read > wanted || (!cached && read != wanted))
            return blocks[i][0];
        reads += read;
        data += i < 3 ? wanted : 0;
        data_reads += i < 3 ? read : 0;
    }
    if (whole(counts, "index_blocks") != (e->reading.index == FB_CACHED ? data : 0))
        return "index_blocks";
    if (whole(counts, "filter_blocks") != asked)
        return "filter_blocks";
    if (!fits_histogram(counts, "asked_histogram", whole(counts, "asked"), false))
        return "asked_histogram";
    if (!fits_histogram(counts, "io_histogram", reads, false))
        return "io_histogram";
    if (!fits_histogram(counts, "io_histogram", whole(counts, "io_squares"), true))
        return "io_squares";
    uint64_t bytes = data_reads * (uint64_t)e->reading.block_bytes;
    bool alone = data_reads == reads; /* index and filter blocks have sizes of their own */
    return whole(counts, "read_bytes") == bytes || (!alone && whole(counts, "read_bytes") > bytes)
               ? NULL
               : "read_bytes";
}

/*
 * Of the x_q >= 0 false positives of the absent queries: how many x_q are above 0, and the sum of
 * x_q^2. The sum of x_q is known where no key is present, else bounded by that over all queries:
 *
 *     any <= squares <= (any - 1) + (sum - any + 1)^2
 *     any * squares >= sum^2 (Cauchy-Schwarz), squares = sum modulo 2      where it is known
 *
 * Where nothing else is read, no block is in memory and no key is present, a query's reads are its
 * false positives.
 */
static const char *wrong_false(const json_t *counts)
{
    const uint64_t any = whole(counts, "any_false"), squares = whole(counts, "false_squares");
    const uint64_t sum = whole(counts, "data_false"), queries = whole(counts, "queries");
    const uint64_t blocks = whole(counts, "index_blocks") + whole(counts, "filter_blocks");
    const bool known = whole(counts, "absent") == queries;
    if (any > sum || (known && !any && sum))
        return "any_false";
    const fb_u128 most = any ? sum - any + 1 : 0;
    if (squares < any || squares > (any ? any - 1 : 0) + most * most)
        return "false_squares";
    if (!known)
        return NULL;
    if ((squares ^ sum) & 1 || (fb_u128)any * squares < (fb_u128)sum * sum)
        return "false_squares";
    if (blocks || whole(counts, "read_false") != sum)
        return NULL;
    if (any != queries - whole_at(counts, "io_histogram", 0))
        return "any_false";
    return squares == whole(counts, "io_squares") ? NULL : "false_squares";
}

/* ---- All of it ---- */

const char *fb_lsm_contradiction(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                                 const json_t *cell, struct fb_lsm_facts *facts)
{
    const json_t *runs = json_object_get(cell, "runs"), *counts = json_object_get(cell, "counts");
    const char *wrong = NULL;
    if (!json_array_size(runs) || json_array_size(runs) > FB_MAX_RUNS)
        return "runs";
    if (strcmp(fb_json_str(cell, "design"), e->filters[planned->filter].design->name))
        return "design";
    if (strcmp(fb_json_str(cell, "keys"), fb_lsm_keys_name(&e->trees[planned->tree])))
        return "keys";
    if (!(wrong = wrong_params(e, planned, json_object_get(cell, "params"))) &&
        !(wrong = wrong_effective(cell)) &&
        !(wrong = wrong_words(e->filters[planned->filter].design, cell)) &&
        !(wrong = wrong_sums(cell)) && !(wrong = wrong_queries(counts)) &&
        !(wrong = wrong_by_run(cell)) && !(wrong = wrong_blocks(e, planned, counts)) &&
        !(wrong = wrong_false(counts)) && !(wrong = wrong_tree(e, planned, cell, facts)))
        wrong = fb_lsm_scan_contradiction(cell);
    return wrong;
}
