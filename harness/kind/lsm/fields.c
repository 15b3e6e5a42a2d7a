/* Experiments of kind "lsm": their fields. */
#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/base/message.h"
#include "harness/document/io_profile.h"
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

/* Names of such texts. */
static const char *const holders[] = {"proportional", "popularity", "recent",
                                      "last",         "level:N",    NULL};
static const char *const prefixes[] = {"none", "fixed:N", "capped:N", NULL};
static const char *const devices[] = {"measured:FOLDER", "default", "nvme", "optane", "sata", "hdd",
                                      "pagecache",       "s3",      NULL};

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

static json_t *read_run(struct fb_problem *problem, const struct fb_field *f, const char *path,
                        const json_t *given)
{
    const json_int_t level = json_integer_value(json_object_get(given, "level")),
                     keys = json_integer_value(json_object_get(given, "keys")),
                     files = json_integer_value(json_object_get(given, "files"));
    const size_t members = 2 + (json_object_get(given, "files") != NULL);
    if (json_object_size(given) != members || !json_is_integer(json_object_get(given, "level")) ||
        level < 0 || keys < 1 || files < (members > 2) || files > keys)
        return fb_reject_value(problem, f, path, given);
    return json_pack("{s:I, s:I, s:o*}", "level", level, "keys", keys, "files",
                     files ? json_integer(files) : NULL);
}

/* {design, bits_per_key, allocation}; a control has no bits_per_key. */
static json_t *read_filter(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    static const struct fb_field bits = {
        .high = 1000, .above = true, .accepted = "a number above 0 and at most 1000"};
    static const struct fb_field allocation = {.words = fb_allocations, .noun = "allocation"};
    static const char *const names[] = {"design", "bits_per_key", "allocation", NULL};
    char at[96];
    if (!json_is_object(given))
        return fb_reject_value(problem, f, path, given);
    FB_EACH_MEMBER(name, value, given) {
        if (!fb_named(name, names, sizeof *names)) {
            fb_refuse(problem, "%s.%.60s: unknown field%s", path, name,
                      fb_did_you_mean(name, names, sizeof *names));
            return NULL;
        }
    }
    snprintf(at, sizeof at, "%.60s.design", path);
    json_t *read = fb_read_design(problem, f, at, json_object_get(given, "design"));
    if (!read || !json_is_string(read)) {
        json_decref(read);
        return read ? fb_reject_value(problem, f, path, given) : NULL;
    }
    const struct fb_design *design = fb_design_find(json_string_value(read));
    json_t *out = json_pack("{s:o, s:n, s:n}", "design", read, names[1], names[2]);
    if (design->traits & FB_CONTROL)
        return out;
    snprintf(at, sizeof at, "%.60s.bits_per_key", path);
    json_t *size = fb_read_real(problem, &bits, at, json_object_get(given, "bits_per_key"));
    snprintf(at, sizeof at, "%.60s.allocation", path);
    const json_t *member = json_object_get(given, "allocation");
    json_t *split = !size    ? NULL
                    : member ? fb_read_word(problem, &allocation, at, member)
                             : json_string(fb_allocations[FB_ALLOC_UNIFORM].name);
    json_object_set_new(out, "bits_per_key", size);
    json_object_set_new(out, "allocation", split);
    if (size && split)
        return out;
    json_decref(out);
    return NULL;
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
    {.name = "hash",
     .fallback = "[null]",
     .read = fb_read_hash,
     .list = true,
     .meaning = "hashes that replace each design's own; null: the design's own ('filterbench list "
                "hashes')",
     .example = "[null, \"xxh3-64\"]"},
    FB_FIELD("bits_per_key", "[]", fb_read_real, .list = true, .high = 1000, .above = true,
             .may_miss = true, .accepted = "a number above 0 and at most 1000",
             .meaning = "size of the filters: bits of memory for each key of the tree, which "
                        "allocations split over its runs",
             .of = "bits per key", .example = "[8, 12]"),
    FB_FIELD_SHARES("fpr", "[]", 1e-12, 0.99, true, "a rate from 1e-12 to 0.99",
                    .meaning =
                        "size of the filters: the share of absent keys that each may let through",
                    .of = "a rate", .example = "[0.01]"),
    FB_FIELD("run_bits", "[]", read_level, .list = true, .shape = "number -1..", .repeats = true,
             .may_miss = true, .low = -1, .high = 1000,
             .accepted = "a list of bits per key for each level, newest first; -1: no filter",
             .meaning = "a size that differs by level: bits per key from the newest level on, the "
                        "last number for all older ones; -1: no filter there",
             .of = "bits per key", .example = "[14, 10, -1]"),
    FB_FIELD_WORDS("allocations", "[\"uniform\"]", fb_allocations, "allocation", true,
                   .meaning =
                       "how the memory is split over the runs ('filterbench list allocations')",
                   .example = "[\"uniform\", \"monkey\"]"),
    FB_FIELD("filters", "[]", read_filter, .list = true, .shape = "lsm_filter", .may_miss = true,
             .accepted = "{\"design\": NAME, \"bits_per_key\": B, \"allocation\": WORD}",
             .meaning = "filters one by one; where there are any, designs, hash, bits_per_key, "
                        "fpr, run_bits, allocations and prefixes say nothing",
             .example = "[{\"design\": \"nori\", \"bits_per_key\": 10}]"),
    FB_FIELD("lookups", "[\"rehash-each\", \"shared-digest\"]", read_lookup, .list = true,
             .noun = "lookup", .all = true,
             .meaning = "how one query visits many filters ('filterbench list lookups')",
             .example = "[\"shared-digest\"]"),

    FB_FIELD("prefixes", "[\"none\"]", fb_read_grammar, .list = true, .valid = is_prefix,
             FB_KNOWN(prefixes), .accepted = "none, fixed:N or capped:N",
             .meaning = "what of a key the filters hold beside it: nothing, its first N bytes "
                        "(fixed:N), or at most N of them (capped:N)",
             .example = "[\"none\", \"fixed:8\"]"),
    FB_FIELD("prefix_whole_key", "[true]", fb_read_flag, .list = true,
             .accepted = "true or false, or both in a list",
             .meaning = "with prefixes: whether whole keys are in the filters as well",
             .example = "[true, false]"),

    FB_FIELD_WORDS(
        "style", "[\"leveled\"]", fb_styles, "style", false,
        .meaning =
            "how the tree is compacted: leveled (one run a level), tiered (several), lazy "
            "(several, but one in the last), universal (runs that grow) or flat (equal runs)",
        .example = "[\"tiered\"]"),
    FB_FIELD_COUNTS("n", "[0]", 0, 1e12, "a count of keys up to 1e12, 0: what the levels hold",
                    .meaning =
                        "how many keys the tree holds; 0: as many as its levels hold when full",
                    .of = "keys", .example = "[1000000]"),
    FB_FIELD_COUNT("levels", "4", 0, 64, "a count from 1 to 64, level 0 included; 0: as n needs",
                   .meaning =
                       "how many levels the tree has, level 0 included; 0: as many as n needs",
                   .of = "levels", .example = "5"),
    FB_FIELD("ratio", "10", fb_read_real, .low = 1, .high = 1000, .above = true,
             .accepted = "a number above 1 and at most 1000",
             .meaning = "how many times larger a level is than the one above", .of = "times",
             .example = "8"),
    FB_FIELD_COUNT("l0", "4", 0, FB_MAX_RUNS, "a count of runs in level 0 from 0 to 1024",
                   .meaning = "runs in level 0, where memtables are written to", .of = "runs",
                   .example = "8"),
    FB_FIELD("fill", "1", fb_read_real, .high = 1, .above = true, .unit = FB_UNIT_SHARE,
             .accepted = "a share of the last level above 0 and at most 1",
             .meaning = "which share of the last level is filled", .of = "a share",
             .example = "0.5"),
    FB_FIELD_COUNTS("runs", "[8]", 0, FB_MAX_RUNS,
                    "a count of runs from 1 to 1024; universal: 0, as many as n needs",
                    .meaning = "runs of a tree of style flat or universal", .of = "runs",
                    .example = "[1, 8, 32]"),
    FB_FIELD("run_sizes", "[]", read_run, .list = true, .shape = "lsm_run_size", .repeats = true,
             .may_miss = true, .accepted = "runs, newest first: {\"level\": 1, \"keys\": 1000}",
             .meaning =
                 "runs one by one, newest first, in place of what style, levels, ratio and l0 "
                 "make: of files that a store has; with n or a file of keys, in proportion",
             .example = "[{\"level\": 0, \"keys\": 500}, {\"level\": 1, \"keys\": 5000}]"),
    FB_FIELD_REAL(
        "size_ratio", "1", 0.01, 100, "a number from 0.01 to 100",
        .meaning =
            "style universal: an older run is so many times as large as all newer ones together",
        .of = "times", .example = "0.1"),
    FB_FIELD_SHARE("updates", "0", 0, 0.99, "a share of a run's keys from 0 to 0.99",
                   .meaning = "which share of a run's keys an older run holds too", .of = "a share",
                   .example = "0.1"),
    FB_FIELD_SHARE("tombstones", "0", 0, 1, "a share of the updates from 0 to 1",
                   .meaning = "which share of the updates are deletions", .of = "a share",
                   .example = "0.5"),
    FB_FIELD_COUNT("memtables", "0", 0, 64, "a count from 0 to 64",
                   .meaning = "memtables that a query asks first, in memory", .of = "memtables",
                   .example = "2"),
    FB_FIELD_COUNT("memtable_keys", "0", 0, 1e9, "a count of keys up to 1e9",
                   .meaning = "keys of a memtable; 0: as many as a segment holds", .of = "keys",
                   .example = "100000"),
    FB_FIELD_WORD("filter_unit", "\"file\"", fb_filter_units, "filter unit",
                  .meaning = "what one filter covers: a file, a block (2 KiB of data, as in "
                             "LevelDB) or a partition (4 KiB of filter)"),
    FB_FIELD_REAL("scale", "1", 0.001, 1e9, "a number from 0.001 to 1e9",
                  .meaning = "makes the tree smaller: a segment has so many times fewer keys, "
                             "while levels and runs stay",
                  .of = "times", .example = "64"),
    FB_FIELD("keys", "[\"pad40\"]", fb_read_grammar, .list = true, .valid = is_keys,
             FB_KNOWN(fb_keygens), .accepted = "the name of a key format, file or trace",
             .meaning = "which keys there are: a format of made keys, file for those of --keys, "
                        "trace for --trace ('filterbench list formats')",
             .example = "[\"uuid4\"]"),
    FB_FIELD_MEAN_BYTES("key_bytes", "0", 0, 1e6, "mean bytes of a key up to 1e6, 0: the format's",
                        .meaning =
                            "mean length of a key where sizes are reckoned; 0: that of its format",
                        .of = "bytes", .example = "16"),
    FB_FIELD_MEAN_BYTES("value_bytes", "100", 0, 1e9, "mean bytes of a value up to 1e9",
                        .meaning = "mean length of a value", .of = "bytes", .example = "1000"),
    FB_FIELD_MEAN_BYTES(
        "entry_overhead", "8", 0, 1e6, "bytes of an entry besides key and value, up to 1e6",
        .meaning = "what an entry takes beside its key and value", .of = "bytes", .example = "0"),
    FB_FIELD_BYTES("segment_bytes", "67108864", 1, 1e12, "bytes of a segment from 1 to 1e12",
                   .meaning = "size of a file of the tree", .of = "bytes", .example = "2097152"),
    FB_FIELD_WORDS("order", "[\"shuffle\"]", fb_orders, "order", false,
                   .meaning =
                       "in which order keys came: shuffle (at random), arrival (ascending, absent "
                       "keys between them) or dense (ascending, absent keys behind them)"),
    FB_FIELD_BYTES("trace_memtable_bytes", "4194304", 1, 1e13,
                   "bytes of a trace's memtable from 1 to 1e13",
                   .meaning = "what the puts of a trace fill before they become a run",
                   .of = "bytes", .example = "1048576"),

    FB_FIELD_COUNT("queries", "1000000", 1, 1e12, "a count from 1 to 1e12",
                   .meaning = "how many queries are counted for each filter and tree",
                   .of = "queries", .example = "100000"),
    FB_FIELD_COUNT("warm", "0", 0, 1e12, "a count of queries up to 1e12",
                   .meaning = "queries before those that are counted; they only fill the block "
                              "cache, so that it is not cold",
                   .of = "queries", .example = "100000"),
    FB_FIELD_SHARES("absent", "[1]", 0, 1, false, "a share of absent keys from 0 to 1",
                    .meaning = "which share of the queries is for keys that are not in the tree: "
                               "those are what filters save reads for",
                    .of = "a share", .example = "[0, 0.5, 1]"),
    FB_FIELD_WORDS("absent_kind", "[\"in-gap\"]", fb_absent_kinds, "absent kind", true,
                   .meaning =
                       "what the absent keys are like: between keys of the tree, outside of its "
                       "range, asked for again and again, and others ('filterbench list absent')",
                   .example = "[\"in-gap\"]"),
    FB_FIELD("holder", "\"proportional\"", fb_read_grammar, .valid = is_holder, FB_KNOWN(holders),
             .accepted = "proportional, popularity, recent, last or level:N",
             .meaning = "which run the keys that are found are in: any, by its size "
                        "(proportional), one by the popularity of keys, newer ones more often "
                        "(recent), the last level (last) or another (level:N)",
             .example = "\"last\""),
    FB_FIELD("popularity", "\"uniform\"", fb_read_grammar, .valid = is_popularity,
             FB_KNOWN(fb_popularity_names),
             .accepted = "the name of a distribution: uniform, zipf:0.99, ...",
             .meaning = "how often each present key is asked for ('filterbench list popularities')",
             .example = "\"zipf:0.99\""),
    FB_FIELD_COUNT("scans", "0", 0, 1e12, "a count of prefix scans up to 1e12, 0: none",
                   .meaning =
                       "scans of all keys with one prefix, counted beside the queries; 0: none",
                   .of = "scans", .example = "10000"),
    FB_FIELD("scan_prefix", "[]", fb_read_grammar, .list = true, .valid = is_scan_prefix,
             FB_KNOWN(prefixes), .accepted = "fixed:N or capped:N", .may_miss = true,
             .meaning = "prefixes that are scanned for where the filters hold none",
             .example = "[\"fixed:8\"]"),
    FB_FIELD_COUNT("repeat_keys", "10000", 1, 1e9, "a count of absent keys from 1 to 1e9",
                   .meaning = "how many keys there are that are absent and asked for again and "
                              "again (absent_kind repeat)",
                   .of = "keys", .example = "1000"),
    FB_FIELD_REAL(
        "repeat_theta", "0.99", 0, 10, "a zipf exponent from 0 to 10",
        .meaning =
            "how unequally those are asked for: the exponent of a zipf distribution; 0: alike",
        .of = "an exponent", .example = "1.2"),

    FB_FIELD("cache_bytes", "[0]", fb_read_count, .list = true, .high = 1e15, .unit = FB_UNIT_BYTES,
             .accepted = "bytes of block cache up to 1e15, 256Mi or 1Gi, 0: none",
             .meaning = "size of the block cache; 0: there is none", .of = "bytes",
             .example = "[0, \"256Mi\"]"),
    FB_FIELD_WORD("cache_policy", "\"lru\"", fb_cache_policies, "cache policy",
                  .meaning = "what the block cache throws out when it is full"),
    FB_FIELD_WORDS("filter_residency", "[\"pinned\"]", fb_residencies, "residency", false,
                   .meaning = "where filters are: always in memory (pinned), or read through the "
                              "block cache (cached, partitioned)",
                   .example = "[\"pinned\", \"cached\"]"),
    FB_FIELD(
        "index_residency", "\"pinned\"", read_index_residency, .words = fb_residencies,
        .noun = "residency", .accepted = "pinned or cached",
        .meaning =
            "where the indexes of files are: always in memory, or read through the block cache",
        .example = "\"cached\""),
    FB_FIELD_BYTES("block_bytes", "4096", 512, 1 << 24,
                   "bytes of a data block from 512 to 16777216",
                   .meaning = "size of a data block, what one read fetches", .of = "bytes",
                   .example = "16384"),
    FB_FIELD_MEAN_BYTES("index_entry_bytes", "0", 0, 1e6,
                        "bytes of an index entry up to 1e6, 0: a key and eight bytes",
                        .meaning =
                            "what a data block takes in its file's index; 0: a key and eight bytes",
                        .of = "bytes", .example = "24"),
    FB_FIELD_REAL("evict_every", "0", 0, 1e12, "queries between evictions by other work, 0: never",
                  .meaning =
                      "other work throws blocks out of the cache after so many queries; 0: never",
                  .of = "queries", .example = "10000"),
    FB_FIELD_SHARE("evict_share", "0", 0, 1, "a share of the cache from 0 to 1",
                   .meaning = "which share of the cache such work throws out at a time",
                   .of = "a share", .example = "0.1"),
    FB_FIELD("device", "\"default\"", fb_read_grammar, .valid = is_device, FB_KNOWN(devices),
             .accepted = "a device's name, a time or a folder, nvme, 100us or measured:FOLDER",
             .meaning = "what a read costs: a device by name ('filterbench list devices'), a time, "
                        "or reads of a file in a folder of yours (measured:FOLDER)",
             .example = "\"100us\""),
    FB_FIELDS_ENGINE_COSTS("every design needs one"),
    FB_FIELD_BYTES("device_bytes", "1073741824", 65536, 1e13,
                   "bytes of the file a device is measured on, from 65536 to 1e13",
                   .meaning = "size of the file that measured:FOLDER writes there and reads",
                   .of = "bytes", .example = "4294967296"),

    FB_FIELD_FLAG("timed", "true",
                  .meaning =
                      "whether the CPU time of lookups is measured, or reads are counted only",
                  .example = "false"),
    FB_FIELD_FLAG("timed_builds", "true",
                  .meaning = "whether builds are timed as well, where lookups are",
                  .example = "false"),
    FB_FIELD_FLAG("histograms", "false",
                  .meaning = "time single queries as well, for their distribution",
                  .example = "true"),
    FB_FIELD_COUNT("rounds", "3", 1, 1000, "a count from 1 to 1000",
                   .meaning =
                       "how often a process times everything; candidates alternate within a round",
                   .of = "rounds", .example = "5"),
    FB_FIELD_COUNT("min_processes", "6", 1, FB_PAIRED_MAX,
                   "a count from 1 to 64; below 6 there is no 95 % interval",
                   .meaning = "fresh processes that measure in any case; fewer than 16 tell "
                              "nothing about noise that lasts",
                   .of = "processes", .example = "16"),
    FB_FIELD_COUNT("max_processes", "24", 1, FB_PAIRED_MAX, "a count from 1 to 64",
                   .meaning = "fresh processes that measure at most", .of = "processes",
                   .example = "48"),
    FB_FIELD_SHARE("precision", "0.02", 0, 1, "a number from 0 to 1 (0.01: intervals of +-1 %)",
                   .meaning = "stop when the half of every time's 95 % interval is such a share of "
                              "the time; 0: never before the budget",
                   .of = "a share of the time", .example = "0.05"),
    FB_FIELD_BUDGET("60"),
    FB_FIELD_CPU,
    FB_FIELD_SEED,
    FB_FIELD("ci", "{}", read_ci, .may_lack = true,
             .accepted = "an object of fields, the short form that --ci asks for",
             .meaning = "fields of a short form of the experiment, which --ci asks for",
             .example = "{\"queries\": 1000}"),
    {0},
};
