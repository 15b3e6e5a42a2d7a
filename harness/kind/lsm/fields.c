/* Experiments of kind "lsm": their fields. */
#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/base/message.h"
#include "harness/kind/lsm/experiment.h"

/* ---- Texts with a grammar ---- */

static bool is_keys(const char *text, const char **why)
{
    struct fb_keygen keygen;
    return !strcmp(text, "file") || !strcmp(text, "trace") || fb_keygen_parse(text, &keygen, why);
}

static bool is_holder(const char *text, const char **why)
{
    struct fb_query_spec spec;
    return fb_holder_parse(text, &spec, why);
}

static bool is_popularity(const char *text, const char **why)
{
    struct fb_popularity popularity;
    return fb_popularity_parse(text, &popularity, why);
}

static bool is_device(const char *text, const char **why)
{
    struct fb_device device;
    return fb_device_parse(text, &device, why);
}

static bool is_prefix(const char *text, const char **why)
{
    struct fb_prefix prefix;
    return fb_prefix_parse(text, true, &prefix, why);
}

static bool is_scan_prefix(const char *text, const char **why)
{
    struct fb_prefix prefix;
    bool valid = fb_prefix_parse(text, true, &prefix, why);
    if (valid && prefix.kind == FB_PREFIX_NONE)
        *why = "a scan needs a prefix: fixed:N or capped:N";
    return valid && prefix.kind != FB_PREFIX_NONE;
}

/* ---- What may have been meant ---- */

static const char *keys_meant(const char *text)
{
    return fb_did_you_mean(text, fb_keygens, sizeof *fb_keygens);
}

static const char *popularity_meant(const char *text)
{
    return fb_did_you_mean(text, fb_popularity_names, sizeof *fb_popularity_names);
}

static const char *holder_meant(const char *text)
{
    static const char *const names[] = {"proportional", "popularity", "recent",
                                        "last",         "level:N",    NULL};
    return fb_did_you_mean(text, names, sizeof *names);
}

static const char *prefix_meant(const char *text)
{
    static const char *const names[] = {"none", "fixed:N", "capped:N", NULL};
    return fb_did_you_mean(text, names, sizeof *names);
}

static const char *device_meant(const char *text)
{
    enum { MOST = 15 };
    const char *names[MOST + 2] = {"measured:FOLDER"};
    for (size_t i = 0; i < MOST && *fb_devices[i].name; i++)
        names[1 + i] = fb_devices[i].name;
    return fb_did_you_mean(text, names, sizeof *names);
}

/* ---- What is neither a word nor a text ---- */

static json_t *read_lookup(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    enum { MOST = 31 };
    const char *names[MOST + 1] = {0};
    for (size_t i = 0; i < MOST && fb_lookups[i]; i++)
        names[i] = fb_lookups[i]->name;
    return fb_read_one_of(problem, f->noun, path, given, names, f->all);
}

static json_t *read_index_residency(struct fb_problem *problem, const struct fb_field *f,
                                    const char *path, const json_t *given)
{
    const char *name = json_string_value(given);
    return name && !strcmp(name, fb_residencies[FB_PARTITIONED].name)
               ? fb_reject_value(problem, f, path, given)
               : fb_read_word(problem, f, path, given);
}

/* -1 stands for no filter. */
static json_t *read_level(struct fb_problem *problem, const struct fb_field *f, const char *path,
                          const json_t *given)
{
    const double bits = json_number_value(given);
    return bits < 0 && bits != -1 ? fb_reject_value(problem, f, path, given)
                                  : fb_read_real(problem, f, path, given);
}

static json_t *read_ci(struct fb_problem *problem, const struct fb_field *f, const char *path,
                       const json_t *given)
{
    if (!json_is_object(given))
        return fb_reject_value(problem, f, path, given);
    return json_deep_copy(given);
}

const struct fb_field fb_lsm_fields[] = {
    FB_FIELDS_FIRST("lsm", "lsm"),

    FB_FIELD_DESIGNS("[\"rocksdb-fastlocal\"]"),
    {.name = "hash", .fallback = "[null]", .read = fb_read_hash, .list = true},
    FB_FIELD("bits_per_key", "[]", fb_read_real, .list = true, .high = 1000, .above = true,
             .may_miss = true, .accepted = "a number above 0 and at most 1000"),
    FB_FIELD_SHARES("fpr", "[]", 1e-12, 0.99, true, "a rate from 1e-12 to 0.99"),
    FB_FIELD("run_bits", "[]", read_level, .list = true, .repeats = true, .may_miss = true,
             .low = -1, .high = 1000,
             .accepted = "a list of bits per key for each level, newest first; -1: no filter"),
    FB_FIELD_WORDS("allocations", "[\"uniform\"]", fb_allocations, "allocation", true),
    FB_FIELD("lookups", "[\"rehash-each\", \"shared-digest\"]", read_lookup, .list = true,
             .noun = "lookup", .all = true),

    FB_FIELD("prefixes", "[\"none\"]", fb_read_grammar, .list = true, .valid = is_prefix,
             .meant = prefix_meant, .accepted = "none, fixed:N or capped:N"),
    FB_FIELD("prefix_whole_key", "[true]", fb_read_flag, .list = true,
             .accepted = "true or false, or both in a list"),

    FB_FIELD_WORDS("style", "[\"leveled\"]", fb_styles, "style", false),
    FB_FIELD_COUNTS("n", "[0]", 0, 1e12, "a count of keys up to 1e12, 0: what the levels hold"),
    FB_FIELD_COUNT("levels", "4", 0, 64, "a count from 1 to 64, level 0 included; 0: as n needs"),
    FB_FIELD("ratio", "10", fb_read_real, .low = 1, .high = 1000, .above = true,
             .accepted = "a number above 1 and at most 1000"),
    FB_FIELD_COUNT("l0", "4", 0, FB_MAX_RUNS, "a count of runs in level 0 from 0 to 1024"),
    FB_FIELD("fill", "1", fb_read_real, .high = 1, .above = true, .unit = FB_UNIT_SHARE,
             .accepted = "a share of the last level above 0 and at most 1"),
    FB_FIELD_COUNTS("runs", "[8]", 0, FB_MAX_RUNS,
                    "a count of runs from 1 to 1024; universal: 0, as many as n needs"),
    FB_FIELD_REAL("size_ratio", "1", 0.01, 100, "a number from 0.01 to 100"),
    FB_FIELD_SHARE("updates", "0", 0, 0.99, "a share of a run's keys from 0 to 0.99"),
    FB_FIELD_SHARE("tombstones", "0", 0, 1, "a share of the updates from 0 to 1"),
    FB_FIELD_COUNT("memtables", "0", 0, 64, "a count from 0 to 64"),
    FB_FIELD_COUNT("memtable_keys", "0", 0, 1e9, "a count of keys up to 1e9"),
    FB_FIELD_WORD("filter_unit", "\"file\"", fb_filter_units, "filter unit"),
    FB_FIELD_REAL("scale", "1", 0.001, 1e9, "a number from 0.001 to 1e9"),
    FB_FIELD("keys", "[\"pad40\"]", fb_read_grammar, .list = true, .valid = is_keys,
             .meant = keys_meant, .accepted = "the name of a key format, file or trace"),
    FB_FIELD_MEAN_BYTES("key_bytes", "0", 0, 1e6, "mean bytes of a key up to 1e6, 0: the format's"),
    FB_FIELD_MEAN_BYTES("value_bytes", "100", 0, 1e9, "mean bytes of a value up to 1e9"),
    FB_FIELD_MEAN_BYTES("entry_overhead", "8", 0, 1e6,
                        "bytes of an entry besides key and value, up to 1e6"),
    FB_FIELD_BYTES("segment_bytes", "67108864", 1, 1e12, "bytes of a segment from 1 to 1e12"),
    FB_FIELD_WORDS("order", "[\"shuffle\"]", fb_orders, "order", false),
    FB_FIELD_BYTES("trace_memtable_bytes", "4194304", 1, 1e13,
                   "bytes of a trace's memtable from 1 to 1e13"),

    FB_FIELD_COUNT("queries", "1000000", 1, 1e12, "a count from 1 to 1e12"),
    FB_FIELD_COUNT("warm", "0", 0, 1e12, "a count of queries up to 1e12"),
    FB_FIELD_SHARES("absent", "[1]", 0, 1, false, "a share of absent keys from 0 to 1"),
    FB_FIELD_WORDS("absent_kind", "[\"in-gap\"]", fb_absent_kinds, "absent kind", true),
    FB_FIELD("holder", "\"proportional\"", fb_read_grammar, .valid = is_holder,
             .meant = holder_meant,
             .accepted = "proportional, popularity, recent, last or level:N"),
    FB_FIELD("popularity", "\"uniform\"", fb_read_grammar, .valid = is_popularity,
             .meant = popularity_meant,
             .accepted = "the name of a distribution: uniform, zipf:0.99, ..."),
    FB_FIELD_COUNT("scans", "0", 0, 1e12, "a count of prefix scans up to 1e12, 0: none"),
    FB_FIELD("scan_prefix", "[]", fb_read_grammar, .list = true, .valid = is_scan_prefix,
             .meant = prefix_meant, .accepted = "fixed:N or capped:N", .may_miss = true),
    FB_FIELD_COUNT("repeat_keys", "10000", 1, 1e9, "a count of absent keys from 1 to 1e9"),
    FB_FIELD_REAL("repeat_theta", "0.99", 0, 10, "a zipf exponent from 0 to 10"),

    FB_FIELD("cache_bytes", "[0]", fb_read_count, .list = true, .high = 1e15, .unit = FB_UNIT_BYTES,
             .accepted = "bytes of block cache up to 1e15, 256Mi or 1Gi, 0: none"),
    FB_FIELD_WORD("cache_policy", "\"lru\"", fb_cache_policies, "cache policy"),
    FB_FIELD_WORDS("filter_residency", "[\"pinned\"]", fb_residencies, "residency", false),
    FB_FIELD("index_residency", "\"pinned\"", read_index_residency, .words = fb_residencies,
             .noun = "residency", .accepted = "pinned or cached"),
    FB_FIELD_BYTES("block_bytes", "4096", 512, 1 << 24,
                   "bytes of a data block from 512 to 16777216"),
    FB_FIELD_MEAN_BYTES("index_entry_bytes", "0", 0, 1e6,
                        "bytes of an index entry up to 1e6, 0: a key and eight bytes"),
    FB_FIELD_REAL("evict_every", "0", 0, 1e12, "queries between evictions by other work, 0: never"),
    FB_FIELD_SHARE("evict_share", "0", 0, 1, "a share of the cache from 0 to 1"),
    FB_FIELD("device", "\"default\"", fb_read_grammar, .valid = is_device, .meant = device_meant,
             .accepted = "a device's name, a time or a folder, nvme, 100us or measured:FOLDER"),
    FB_FIELD_BYTES("device_bytes", "1073741824", 65536, 1e13,
                   "bytes of the file a device is measured on, from 65536 to 1e13"),

    FB_FIELD_FLAG("timed", "true"),
    FB_FIELD_FLAG("histograms", "false"),
    FB_FIELD_COUNT("rounds", "3", 1, 1000, "a count from 1 to 1000"),
    FB_FIELD_COUNT("min_processes", "6", 1, FB_PAIRED_MAX,
                   "a count from 1 to 64; below 6 there is no 95 % interval"),
    FB_FIELD_COUNT("max_processes", "24", 1, FB_PAIRED_MAX, "a count from 1 to 64"),
    FB_FIELD_SHARE("precision", "0.02", 0, 1, "a number from 0 to 1 (0.01: intervals of +-1 %)"),
    FB_FIELD_BUDGET("60"),
    FB_FIELD_CPU,
    FB_FIELD_SEED,
    FB_FIELD("ci", "{}", read_ci,
             .accepted = "an object of fields, the short form that --ci asks for"),
    {0},
};
