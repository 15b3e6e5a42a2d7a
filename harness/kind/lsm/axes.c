/* The axes of an experiment of kind "lsm": lists of its document, crossed. */
#include <stdlib.h>
#include <string.h>

#include "harness/kind/lsm/experiment.h"

enum { MOST_LISTS = 5 };

/* A value of each list, and its place there. */
struct crossing {
    const json_t *value[MOST_LISTS];
    size_t at[MOST_LISTS];
};

/* False: there is no such entry, or an earlier crossing has made it. */
typedef bool make_fn(const struct crossing *, void *entry);

/* An entry for each crossing of the lists of those names [ends with NULL], the last one innermost:
 * *n of `size` bytes, owned by the caller. NULL: out of memory. */
static void *cross(const json_t *document, const char *const *names, make_fn *make, size_t size,
                   size_t *n)
{
    const json_t *lists[MOST_LISTS];
    size_t n_lists = 0, all = 1;
    for (; names[n_lists]; n_lists++) {
        lists[n_lists] = json_object_get(document, names[n_lists]);
        all *= json_array_size(lists[n_lists]);
    }
    char *entries = calloc(all + 1, size);
    *n = 0;
    for (size_t i = 0; entries && i < all; i++) {
        struct crossing c = {0};
        size_t rest = i;
        for (size_t l = n_lists; l-- > 0; rest /= json_array_size(lists[l])) {
            c.at[l] = rest % json_array_size(lists[l]);
            c.value[l] = json_array_get(lists[l], c.at[l]);
        }
        *n += make(&c, entries + *n * size);
    }
    return entries;
}

static size_t word(const struct fb_word *words, const json_t *name)
{
    return fb_word_find(words, json_string_value(name));
}

/* Only flat and universal trees have a number of runs; files and traces have an order of their own.
 */
static bool make_tree(const struct crossing *c, void *entry)
{
    enum { STYLE, N, RUNS, KEYS, ORDER };
    const enum fb_style style = (enum fb_style)word(fb_styles, c->value[STYLE]);
    const bool by_runs = style == FB_FLAT || style == FB_UNIVERSAL;
    const char *format = json_string_value(c->value[KEYS]), *why;
    const bool file = !strcmp(format, "file"), trace = !strcmp(format, "trace");
    struct fb_lsm_tree *tree = entry;
    if ((c->at[RUNS] && !by_runs) || (c->at[ORDER] && (file || trace)))
        return false;
    *tree = (struct fb_lsm_tree){
        .style = style,
        .n = (uint64_t)json_integer_value(c->value[N]),
        .n_runs = by_runs ? (unsigned)json_integer_value(c->value[RUNS]) : 0,
        .file = file,
        .trace = trace,
        .order = file    ? FB_ORDER_SHUFFLE
                 : trace ? FB_ORDER_ARRIVAL
                         : (enum fb_order)word(fb_orders, c->value[ORDER]),
    };
    return file || trace || fb_keygen_parse(format, &tree->keygen, &why);
}

/* A control has no size and holds no prefixes; a design of one size has its own, but of
 * bits that are split over the levels. */
static bool make_filter(const struct crossing *c, void *entry)
{
    enum { DESIGN, SIZE, HASH, HELD };
    const struct fb_design *design = fb_design_find(json_string_value(c->value[DESIGN]));
    const json_t *size = c->value[SIZE], *held = c->value[HELD];
    const char *hash = json_string_value(c->value[HASH]), *why;
    const bool control = design->traits & FB_CONTROL;
    const enum fb_allocation split = (enum fb_allocation)fb_json_uint(size, "allocation");
    const uint64_t sizing = fb_json_uint(size, "sizing");
    const bool own =
        design->traits & FB_ONE_SIZE && sizing <= FB_LSM_RATE &&
        (sizing != FB_LSM_BITS || split == FB_ALLOC_UNIFORM || split == FB_ALLOC_DROP_LAST);
    struct fb_lsm_filter *filter = entry;
    if (control ? c->at[SIZE] || c->at[HELD]
        : own   ? json_is_false(json_object_get(size, "first"))
                : json_is_null(size))
        return false;
    *filter = (struct fb_lsm_filter){
        .design = design, .hash = hash ? fb_hash_find(hash) : NULL, .prefix = {.whole_key = true}};
    if (control)
        return true;
    filter->allocation = split;
    if (!own) {
        filter->sizing = (enum fb_lsm_sizing)fb_json_uint(size, "sizing");
        filter->size = json_number_value(json_object_get(size, "size"));
    }
    return fb_prefix_parse(fb_json_str(held, "prefix"),
                           json_is_true(json_object_get(held, "whole_key")), &filter->prefix, &why);
}

/* The filters that are listed one by one. */
static bool make_listed(const struct crossing *c, void *entry)
{
    const json_t *listed = c->value[0];
    const struct fb_design *design = fb_design_find(fb_json_str(listed, "design"));
    struct fb_lsm_filter *filter = entry;
    *filter = (struct fb_lsm_filter){.design = design, .prefix = {.whole_key = true}};
    if (design->traits & FB_CONTROL)
        return true;
    filter->sizing = FB_LSM_BITS;
    filter->size = fb_json_num(listed, "bits_per_key");
    filter->allocation =
        (enum fb_allocation)word(fb_allocations, json_object_get(listed, "allocation"));
    return true;
}

/* Without absent queries there is no kind of them. */
static bool make_stream(const struct crossing *c, void *entry)
{
    const double absent = json_number_value(c->value[0]);
    *(struct fb_lsm_stream *)entry = (struct fb_lsm_stream){
        absent, absent > 0 ? (enum fb_absent_kind)word(fb_absent_kinds, c->value[1]) : FB_IN_GAP};
    return absent > 0 || !c->at[1];
}

static bool make_reading(const struct crossing *c, void *entry)
{
    *(struct fb_lsm_reading *)entry =
        (struct fb_lsm_reading){(uint64_t)json_integer_value(c->value[0]),
                                (enum fb_residency)word(fb_residencies, c->value[1])};
    return true;
}

static bool make_lookup(const struct crossing *c, void *entry)
{
    const struct fb_lookup **lookup = entry;
    return (*lookup = fb_lookup_find(json_string_value(c->value[0])));
}

static bool make_level(const struct crossing *c, void *entry)
{
    *(double *)entry = json_number_value(c->value[0]);
    return true;
}

static bool make_scanned(const struct crossing *c, void *entry)
{
    struct fb_prefix *prefix = entry;
    const char *why;
    return fb_prefix_parse(json_string_value(c->value[0]), true, prefix, &why) &&
           prefix->kind != FB_PREFIX_NONE;
}

/* ---- Lists that are made of others ---- */

/* {sizing, size, allocation}: sizes x allocations; bits that are given by level are not allocated.
 * null where there is no size. */
static json_t *sizes_of(const json_t *document)
{
    static const struct {
        const char *name;
        enum fb_lsm_sizing sizing;
    } kinds[] = {{"bits_per_key", FB_LSM_BITS}, {"fpr", FB_LSM_RATE}};
    const json_t *allocations = json_object_get(document, "allocations");
    const size_t n = json_array_size(allocations);
    json_t *sizes = json_array();
    for (size_t k = 0; k < 2; k++) {
        const json_t *list = json_object_get(document, kinds[k].name);
        const bool none = !json_array_size(sizes);
        for (size_t i = 0; i < json_array_size(list) * n; i++)
            json_array_append_new(
                sizes, json_pack("{s:i, s:O, s:i, s:b}", "sizing", kinds[k].sizing, "size",
                                 json_array_get(list, i / n), "allocation",
                                 (int)word(fb_allocations, json_array_get(allocations, i % n)),
                                 "first", i < n && none));
    }
    if (json_array_size(json_object_get(document, "run_bits")))
        json_array_append_new(sizes, json_pack("{s:i}", "sizing", FB_LSM_LEVELS));
    if (!json_array_size(sizes))
        json_array_append_new(sizes, json_null());
    return sizes;
}

/* {prefix, whole_key}: none first, then the others in their order with what is asked for of whole
 * keys. */
static json_t *held_of(const json_t *document)
{
    const json_t *prefixes = json_object_get(document, "prefixes");
    const json_t *whole = json_object_get(document, "prefix_whole_key");
    const size_t n = json_array_size(prefixes);
    json_t *held = json_array();
    for (size_t i = 0; i < n * (1 + json_array_size(whole)); i++) {
        json_t *prefix = json_array_get(prefixes, i % n);
        const bool none = !strcmp(json_string_value(prefix), "none");
        if (none == (i < n))
            json_array_append_new(
                held, json_pack("{s:O, s:b}", "prefix", prefix, "whole_key",
                                none || json_is_true(json_array_get(whole, i / n - 1))));
    }
    return held;
}

bool fb_lsm_load_axes(struct fb_lsm *e)
{
    static const char *const of_trees[] = {"style", "n", "runs", "keys", "order", NULL};
    static const char *const of_filters[] = {"designs", "sizes", "hash", "held", NULL};
    static const char *const listed[] = {"filters", NULL};
    static const char *const of_streams[] = {"absent", "absent_kind", NULL};
    static const char *const of_readings[] = {"cache_bytes", "filter_residency", NULL};
    static const char *const of_lookups[] = {"lookups", NULL}, *const of_levels[] = {"run_bits",
                                                                                     NULL};
    static const char *const given[] = {"scan_prefix", NULL}, *const of_filter[] = {"prefixes",
                                                                                    NULL};
    const bool scanned = json_array_size(json_object_get(e->document, "scan_prefix"));
    const bool one_by_one = json_array_size(json_object_get(e->document, "filters"));
    json_auto_t *lists = json_copy(e->document);
    json_object_set_new(lists, "sizes", sizes_of(lists));
    json_object_set_new(lists, "held", held_of(lists));
    e->trees = cross(lists, of_trees, make_tree, sizeof *e->trees, &e->n_trees);
    e->filters = cross(lists, one_by_one ? listed : of_filters,
                       one_by_one ? make_listed : make_filter, sizeof *e->filters, &e->n_filters);
    e->streams = cross(lists, of_streams, make_stream, sizeof *e->streams, &e->n_streams);
    e->readings = cross(lists, of_readings, make_reading, sizeof *e->readings, &e->n_readings);
    e->lookups = cross(lists, of_lookups, make_lookup, sizeof *e->lookups, &e->n_lookups);
    e->run_bits = cross(lists, of_levels, make_level, sizeof *e->run_bits, &e->n_run_bits);
    e->scan_prefixes = cross(lists, scanned ? given : of_filter, make_scanned,
                             sizeof *e->scan_prefixes, &e->n_scan_prefixes);
    return e->trees && e->filters && e->streams && e->readings && e->lookups && e->run_bits &&
           e->scan_prefixes;
}
