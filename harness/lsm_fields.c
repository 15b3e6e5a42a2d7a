/* Experiments of kind "lsm": their fields. */
#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/experiment_fields.h"
#include "harness/kernels.h"
#include "harness/lsm.h"

static json_t *read_kind(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    const char *kind = json_string_value(given);
    return kind && !strcmp(kind, "lsm") ? json_string(kind)
                                        : fb_reject_value(problem, f, path, given);
}

/* ---- Names of enumerations ---- */

enum { MOST_NAMES = 31 };

/* NOLINTBEGIN(bugprone-macro-parentheses): a type */
#define NAMES_OF(function, type)                                                                   \
    static const char *function##_at(unsigned i)                                                   \
    {                                                                                              \
        return function((enum type)i);                                                             \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
NAMES_OF(fb_style_name, fb_style)
NAMES_OF(fb_filter_unit_name, fb_filter_unit)
NAMES_OF(fb_order_name, fb_order)
NAMES_OF(fb_absent_kind_name, fb_absent_kind)
NAMES_OF(fb_cache_policy_name, fb_cache_policy)
NAMES_OF(fb_residency_name, fb_residency)
NAMES_OF(fb_allocation_name, fb_allocation)

static const char *lookup_at(unsigned i)
{
    return fb_lookups[i] ? fb_lookups[i]->name : NULL;
}

static json_t *read_enum(struct fb_problem *problem, const char *what, const char *path,
                         const json_t *given, const char *(*name)(unsigned), bool all)
{
    const char *names[MOST_NAMES + 1] = {0};
    for (unsigned i = 0; i < MOST_NAMES && name(i); i++)
        names[i] = name(i);
    return fb_read_one_of(problem, what, path, given, names, all);
}

static json_t *read_style(struct fb_problem *problem, const struct fb_field *f, const char *path,
                          const json_t *given)
{
    (void)f;
    return read_enum(problem, "style", path, given, fb_style_name_at, false);
}

static json_t *read_unit(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    (void)f;
    return read_enum(problem, "filter unit", path, given, fb_filter_unit_name_at, false);
}

static json_t *read_order(struct fb_problem *problem, const struct fb_field *f, const char *path,
                          const json_t *given)
{
    (void)f;
    return read_enum(problem, "order", path, given, fb_order_name_at, false);
}

static json_t *read_policy(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    (void)f;
    return read_enum(problem, "cache policy", path, given, fb_cache_policy_name_at, false);
}

static json_t *read_residency(struct fb_problem *problem, const struct fb_field *f,
                              const char *path, const json_t *given)
{
    (void)f;
    return read_enum(problem, "residency", path, given, fb_residency_name_at, false);
}

static json_t *read_index_residency(struct fb_problem *problem, const struct fb_field *f,
                                    const char *path, const json_t *given)
{
    const char *name = json_string_value(given);
    if (name && !strcmp(name, fb_residency_name(FB_PARTITIONED)))
        return fb_reject_value(problem, f, path, given);
    return read_residency(problem, f, path, given);
}

static json_t *read_absent_kind(struct fb_problem *problem, const struct fb_field *f,
                                const char *path, const json_t *given)
{
    (void)f;
    return read_enum(problem, "absent kind", path, given, fb_absent_kind_name_at, true);
}

static json_t *read_allocation(struct fb_problem *problem, const struct fb_field *f,
                               const char *path, const json_t *given)
{
    (void)f;
    return read_enum(problem, "allocation", path, given, fb_allocation_name_at, true);
}

static json_t *read_lookup(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    (void)f;
    return read_enum(problem, "lookup", path, given, lookup_at, true);
}

/* ---- Texts with a grammar of their own ---- */

static json_t *refuse_text(struct fb_problem *problem, const char *path, const char *text,
                           const char *why)
{
    fb_refuse(problem, "%s: '%.60s': %s", path, text, why ? why : "not accepted");
    return NULL;
}

static json_t *read_keys(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    struct fb_keygen keygen;
    const char *text = json_string_value(given), *why = NULL;
    if (!text)
        return fb_reject_value(problem, f, path, given);
    if (!strcmp(text, "file") || !strcmp(text, "trace") || fb_keygen_parse(text, &keygen, &why))
        return json_string(text);
    return refuse_text(problem, path, text, why);
}

static json_t *read_holder(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    struct fb_query_spec spec = {0};
    const char *text = json_string_value(given), *why = NULL;
    if (!text)
        return fb_reject_value(problem, f, path, given);
    return fb_holder_parse(text, &spec, &why) ? json_string(text)
                                              : refuse_text(problem, path, text, why);
}

static json_t *read_popularity(struct fb_problem *problem, const struct fb_field *f,
                               const char *path, const json_t *given)
{
    struct fb_popularity popularity;
    const char *text = json_string_value(given), *why = NULL;
    if (!text)
        return fb_reject_value(problem, f, path, given);
    return fb_popularity_parse(text, &popularity, &why) ? json_string(text)
                                                        : refuse_text(problem, path, text, why);
}

static json_t *read_device(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    struct fb_device device = {0};
    const char *text = json_string_value(given), *why = NULL;
    if (!text)
        return fb_reject_value(problem, f, path, given);
    bool known = fb_device_parse(text, &device, &why);
    fb_device_close(&device);
    return known ? json_string(text) : refuse_text(problem, path, text, why);
}

/* ---- Lists, and what is neither ---- */

#define LIST_OF(name, element)                                                                     \
    static json_t *name(struct fb_problem *problem, const struct fb_field *f, const char *path,    \
                        const json_t *given)                                                       \
    {                                                                                              \
        return fb_read_list(problem, f, path, given, element);                                     \
    }
LIST_OF(read_counts, fb_read_count)
LIST_OF(read_sizes, fb_read_size)
LIST_OF(read_hashes, fb_read_hash)
LIST_OF(read_styles, read_style)
LIST_OF(read_residencies, read_residency)
LIST_OF(read_absent_kinds, read_absent_kind)
LIST_OF(read_allocations, read_allocation)
LIST_OF(read_lookups, read_lookup)
LIST_OF(read_formats, read_keys)
LIST_OF(read_orders, read_order)
LIST_OF(read_prefixes, fb_lsm_read_prefix)
LIST_OF(read_flags, fb_read_flag)

/* Levels keep their places: repeats stay. */
static json_t *read_levels(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    enum { MOST = 64 };
    json_t *list = json_array();
    if (!json_is_array(given) || json_array_size(given) > MOST) {
        json_decref(list);
        return fb_reject_value(problem, f, path, given);
    }
    for (size_t i = 0; i < json_array_size(given); i++) {
        char at[32];
        const json_t *each = json_array_get(given, i);
        snprintf(at, sizeof at, "%s[%zu]", path, i);
        json_t *value = json_number_value(each) < 0 && json_number_value(each) != -1
                            ? fb_reject_value(problem, f, at, each)
                            : fb_read_real(problem, f, at, each);
        if (!value) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, value);
    }
    return list;
}

static json_t *read_ci(struct fb_problem *problem, const struct fb_field *f, const char *path,
                       const json_t *given)
{
    if (!json_is_object(given))
        return fb_reject_value(problem, f, path, given);
    return json_deep_copy(given);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): initialisers */
#define PROSE(field, least, most, text)                                                            \
    {                                                                                              \
        .name = field, .fallback = "\"\"", .read = fb_read_text, .low = least, .high = most,       \
        .prose = true, .accepted = text                                                            \
    }
#define REAL(field, value, from, to, text)                                                         \
    {                                                                                              \
        .name = field, .fallback = value, .read = fb_read_real, .low = from, .high = to,           \
        .accepted = text                                                                           \
    }
#define COUNT(field, value, from, to, text)                                                        \
    {                                                                                              \
        .name = field, .fallback = value, .read = fb_read_count, .low = from, .high = to,          \
        .accepted = text                                                                           \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

const struct fb_field fb_lsm_fields[] = {
    {.name = "name",
     .fallback = "\"lsm\"",
     .read = fb_read_name,
     .low = 1,
     .high = 80,
     .prose = true,
     .accepted = "up to 80 letters, digits, '-', '_' and '.', not starting with '.'"},
    PROSE("summary", 0, 1000, "a text of up to 1000 bytes"),
    PROSE("source", 0, 1000, "a text of up to 1000 bytes"),
    PROSE("runtime", 0, 1000, "a text of up to 1000 bytes"),
    {.name = "kind", .fallback = "\"lsm\"", .read = read_kind, .accepted = "\"lsm\""},

    {.name = "designs", .fallback = "[\"rocksdb-fastlocal\"]", .read = fb_read_designs},
    {.name = "hash", .fallback = "[null]", .read = read_hashes},
    {.name = "bits_per_key",
     .fallback = "[]",
     .read = fb_read_reals,
     .low = 0,
     .high = 1000,
     .above = true,
     .may_miss = true,
     .accepted = "a number above 0 and at most 1000"},
    {.name = "fpr",
     .fallback = "[]",
     .read = fb_read_reals,
     .low = 1e-12,
     .high = 0.99,
     .may_miss = true,
     .accepted = "a rate from 1e-12 to 0.99"},
    {.name = "run_bits",
     .fallback = "[]",
     .read = read_levels,
     .low = -1,
     .high = 1000,
     .accepted = "a list of bits per key for each level, newest first; -1: no filter"},
    {.name = "allocations", .fallback = "[\"uniform\"]", .read = read_allocations},
    {.name = "lookups", .fallback = "[\"rehash-each\", \"shared-digest\"]", .read = read_lookups},

    {.name = "prefixes", .fallback = "[\"none\"]", .read = read_prefixes},
    {.name = "prefix_whole_key",
     .fallback = "[true]",
     .read = read_flags,
     .accepted = "true or false, or both in a list"},

    {.name = "style", .fallback = "[\"leveled\"]", .read = read_styles},
    {.name = "n",
     .fallback = "[0]",
     .read = read_counts,
     .low = 0,
     .high = 1e12,
     .accepted = "a count of keys up to 1e12, 0: what the levels hold"},
    COUNT("levels", "4", 0, 64, "a count from 1 to 64, level 0 included; 0: as n needs"),
    {.name = "ratio",
     .fallback = "10",
     .read = fb_read_real,
     .low = 1,
     .high = 1000,
     .above = true,
     .accepted = "a number above 1 and at most 1000"},
    COUNT("l0", "4", 0, FB_MAX_RUNS, "a count of runs in level 0 from 0 to 1024"),
    {.name = "fill",
     .fallback = "1",
     .read = fb_read_real,
     .low = 0,
     .high = 1,
     .above = true,
     .accepted = "a share of the last level above 0 and at most 1"},
    {.name = "runs",
     .fallback = "[8]",
     .read = read_counts,
     .low = 1,
     .high = FB_MAX_RUNS,
     .accepted = "a count of runs from 1 to 1024"},
    REAL("size_ratio", "1", 0.01, 100, "a number from 0.01 to 100"),
    REAL("updates", "0", 0, 0.99, "a share of a run's keys from 0 to 0.99"),
    REAL("tombstones", "0", 0, 1, "a share of the updates from 0 to 1"),
    COUNT("memtables", "0", 0, 64, "a count from 0 to 64"),
    COUNT("memtable_keys", "0", 0, 1e9, "a count of keys up to 1e9"),
    {.name = "filter_unit", .fallback = "\"file\"", .read = read_unit},
    REAL("scale", "1", 0.001, 1e9, "a number from 0.001 to 1e9"),
    {.name = "keys",
     .fallback = "[\"pad40\"]",
     .read = read_formats,
     .accepted = "the name of a key format, file or trace"},
    REAL("key_bytes", "0", 0, 1e6, "mean bytes of a key up to 1e6, 0: the format's"),
    REAL("value_bytes", "100", 0, 1e9, "mean bytes of a value up to 1e9"),
    REAL("entry_overhead", "8", 0, 1e6, "bytes of an entry besides key and value, up to 1e6"),
    COUNT("segment_bytes", "67108864", 1, 1e12, "bytes of a segment from 1 to 1e12"),
    {.name = "order", .fallback = "[\"shuffle\"]", .read = read_orders},
    COUNT("trace_memtable_bytes", "4194304", 1, 1e13, "bytes of a trace's memtable from 1 to 1e13"),

    COUNT("queries", "1000000", 1, 1e12, "a count from 1 to 1e12"),
    COUNT("warm", "0", 0, 1e12, "a count of queries up to 1e12"),
    {.name = "absent",
     .fallback = "[1]",
     .read = fb_read_reals,
     .low = 0,
     .high = 1,
     .accepted = "a share of absent keys from 0 to 1"},
    {.name = "absent_kind", .fallback = "[\"in-gap\"]", .read = read_absent_kinds},
    {.name = "holder",
     .fallback = "\"proportional\"",
     .read = read_holder,
     .accepted = "proportional, popularity, recent, last or level:N"},
    {.name = "popularity",
     .fallback = "\"uniform\"",
     .read = read_popularity,
     .accepted = "the name of a distribution: uniform, zipf:0.99, ..."},
    COUNT("scans", "0", 0, 1e12, "a count of prefix scans up to 1e12, 0: none"),
    {.name = "scan_prefix", .fallback = "[]", .read = read_prefixes, .may_miss = true},
    COUNT("repeat_keys", "10000", 1, 1e9, "a count of absent keys from 1 to 1e9"),
    REAL("repeat_theta", "0.99", 0, 10, "a zipf exponent from 0 to 10"),

    {.name = "cache_bytes",
     .fallback = "[0]",
     .read = read_sizes,
     .low = 0,
     .high = 1e15,
     .accepted = "bytes of block cache up to 1e15, 256Mi or 1Gi, 0: none"},
    {.name = "cache_policy", .fallback = "\"lru\"", .read = read_policy},
    {.name = "filter_residency", .fallback = "[\"pinned\"]", .read = read_residencies},
    {.name = "index_residency",
     .fallback = "\"pinned\"",
     .read = read_index_residency,
     .accepted = "pinned or cached"},
    COUNT("block_bytes", "4096", 512, 1 << 24, "bytes of a data block from 512 to 16777216"),
    REAL("index_entry_bytes", "0", 0, 1e6,
         "bytes of an index entry up to 1e6, 0: a key and eight bytes"),
    REAL("evict_every", "0", 0, 1e12, "queries between evictions by other work, 0: never"),
    REAL("evict_share", "0", 0, 1, "a share of the cache from 0 to 1"),
    {.name = "device",
     .fallback = "\"default\"",
     .read = read_device,
     .accepted = "a device's name, a time or a folder, nvme, 100us or measured:FOLDER"},
    COUNT("device_bytes", "1073741824", 65536, 1e13,
          "bytes of the file a device is measured on, from 65536 to 1e13"),

    {.name = "timed", .fallback = "true", .read = fb_read_flag, .accepted = "true or false"},
    {.name = "histograms", .fallback = "false", .read = fb_read_flag, .accepted = "true or false"},
    COUNT("rounds", "3", 1, 1000, "a count from 1 to 1000"),
    COUNT("min_processes", "6", 1, FB_PAIRED_MAX,
          "a count from 1 to 64; below 6 there is no 95 % interval"),
    COUNT("max_processes", "24", 1, FB_PAIRED_MAX, "a count from 1 to 64"),
    REAL("precision", "0.02", 0, 1, "a number from 0 to 1 (0.01: intervals of +-1 %)"),
    {.name = "budget",
     .fallback = "60",
     .read = fb_read_real,
     .low = 0,
     .high = 1e6,
     .above = true,
     .accepted = "seconds above 0 and at most 1000000"},
    {.name = "cpu",
     .fallback = "\"auto\"",
     .read = fb_read_cpu,
     .high = 4095,
     .accepted = "auto, none, or the number of a processor"},
    {.name = "seed",
     .fallback = "\"0x5eed\"",
     .read = fb_read_seed,
     .accepted = "up to 16 hexadecimal digits as a string, \"0x5eed\""},
    {.name = "ci",
     .fallback = "{}",
     .read = read_ci,
     .prose = true,
     .accepted = "an object of fields, the short form that --ci asks for"},
    {0},
};
