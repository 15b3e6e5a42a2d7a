/* Experiments of kind "advise": their fields. */
#include <string.h>

#include "harness/document/io_profile.h"
#include "harness/kind/advise/advise.h"
#include "harness/tree/read_path.h"
#include "workloads/core/popularity.h"

static bool is_device(const char *text, const char **why)
{
    struct fb_device device;
    return fb_device_parse(text, &device, why);
}

static bool is_popularity(const char *text, const char **why)
{
    struct fb_popularity popularity;
    return fb_popularity_parse(text, &popularity, why);
}

static json_t *read_from(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    json_t *read = fb_read_design(problem, f, path, given);
    if (!read || json_is_string(read))
        return read;
    json_decref(read);
    return fb_reject_value(problem, f, path, given);
}

/* A count that may be absent; -1: something else is there. */
static json_int_t count_of(const json_t *given, const char *name)
{
    const json_t *count = json_object_get(given, name);
    return !count                                                    ? 0
           : json_is_integer(count) && json_integer_value(count) > 0 ? json_integer_value(count)
                                                                     : -1;
}

static json_t *read_run(struct fb_problem *problem, const struct fb_field *f, const char *path,
                        const json_t *given)
{
    const json_t *level = json_object_get(given, "level");
    const json_int_t bytes = count_of(given, "bytes"), files = count_of(given, "files"),
                     keys = count_of(given, "keys");
    const size_t members = 2 + (files != 0) + (keys != 0);
    if (json_object_size(given) != members || !json_is_integer(level) ||
        json_integer_value(level) < 0 || bytes < 1 || files < 0 || keys < 0 || files > bytes)
        return fb_reject_value(problem, f, path, given);
    return json_pack("{s:I, s:I, s:o*, s:o*}", "level", json_integer_value(level), "bytes", bytes,
                     "files", files ? json_integer(files) : NULL, "keys",
                     keys ? json_integer(keys) : NULL);
}

static const struct fb_word engines[] = {{.name = "any"},
                                         {.name = "rocksdb"},
                                         {.name = "leveldb"},
                                         {.name = "fjall"},
                                         {.name = "parquet"},
                                         {.name = "pebble"},
                                         {0}};

static const char price_accepted[] = "a number from 0 to 1e15";

const struct fb_field fb_advise_fields[] = {
    FB_FIELDS_FIRST("advise", "advise"),
    FB_FIELD_DESIGNS("[\"filters\"]"),
    FB_FIELD("from", "\"rocksdb-fastlocal\"", read_from, .accepted = "the name of a design",
             .meaning = "the design in use today, which the advice is held against",
             .example = "\"leveldb\""),
    FB_FIELD_REAL("from_bits", "0", 0, 64, "bits per key up to 64, 0: not known",
                  .meaning = "the bits per key that the design in use today is asked for; 0: not "
                             "known, and nothing is compared with it",
                  .of = "bits per key", .example = "10"),
    FB_FIELD_WORD("from_split", "\"uniform\"", fb_allocations, "split",
                  .meaning = "how its bits are split over the levels today",
                  .example = "\"drop-last\""),
    FB_FIELD_FLAG("all_designs", "false",
                  .meaning =
                      "whether designs and splits that the engine does not have are compared "
                      "too; without an engine: that no engine has",
                  .example = "true"),
    FB_FIELD_FLAG("prove", "false",
                  .meaning =
                      "whether the engine itself is asked with the pick, today's setting and "
                      "the runner-up",
                  .example = "true"),
    FB_FIELD_WORD("engine", "\"any\"", engines, "engine",
                  .meaning =
                      "the storage engine whose own filters, and splits of bits over levels, "
                      "are the choice",
                  .example = "\"rocksdb\""),
    FB_FIELD_COUNT("deployed_false", "0", 0, 1e18, "a count up to 1e18",
                   .meaning = "false positives that the store in use has counted", .of = "checks",
                   .example = "990"),
    FB_FIELD_COUNT("deployed_negatives", "0", 0, 1e18, "a count up to 1e18, 0: not known",
                   .meaning = "checks of its filters for keys that were not there", .of = "checks",
                   .example = "99400"),
    FB_FIELD_FLAG("removal", "false",
                  .meaning = "whether keys are taken out of filters again, which few designs can",
                  .example = "true"),
    FB_FIELD_REAL("build_bytes", "0", 0, 1e6, "bytes for each key up to 1e6, 0: any",
                  .meaning = "what building a filter may hold in memory beside it, for each key; "
                             "0: any",
                  .of = "bytes per key", .example = "16"),
    FB_FIELD_REAL("bits_per_key", "0", 0, 64, "one number of bits per key up to 64, 0: as pays",
                  .meaning = "the most memory for filters: bits for each key of the tree; 0: as "
                             "many as pay",
                  .of = "bits per key", .example = "10"),
    FB_FIELD_BYTES("memory", "0", 0, 1e15, "bytes up to 1e15, 0: as many as pay",
                   .meaning = "the most memory for filters in all, in place of bits_per_key",
                   .of = "bytes", .example = "\"512Mi\""),
    FB_FIELD_REAL("memory_price", "0", 0, 1e15, price_accepted,
                  .meaning = "ns that a query must save for each byte of filters to be worth it; "
                             "0: bytes have no price",
                  .of = "ns", .example = "0.001"),
    FB_FIELD_REAL("memory_dollars", "0", 0, 1e15, price_accepted,
                  .meaning = "what a GB of memory costs a month, with read_dollars and query_rate",
                  .of = "dollars", .example = "2.5"),
    FB_FIELD_REAL("read_dollars", "0", 0, 1e15, price_accepted,
                  .meaning = "what a read from the device costs", .of = "dollars",
                  .example = "4e-7"),
    FB_FIELD_REAL("query_rate", "0", 0, 1e15, price_accepted,
                  .meaning = "how many queries come in a second", .of = "queries per second",
                  .example = "1000"),

    FB_FIELD_KEYS,
    FB_FIELD_COUNT("n", "0", 0, 1e12, "a count of keys up to 1e12, 0: half of the file's",
                   .meaning = "how many keys the tree holds; 0: half of those of --keys, while the "
                              "others are asked for in vain",
                   .of = "keys", .example = "50000000"),
    FB_FIELD_MEAN_BYTES("key_bytes", "0", 0, 1e6,
                        "mean bytes of a key up to 1e6, 0: the file's or the format's",
                        .meaning = "mean length of a key; 0: that of the file or the format",
                        .of = "bytes", .example = "16"),
    FB_FIELD_WORD("style", "\"leveled\"", fb_styles, "style",
                  .meaning = "how the tree is compacted: leveled, tiered, lazy or universal",
                  .example = "\"tiered\""),
    FB_FIELD_COUNT("levels", "0", 0, 64, "a count from 1 to 64, level 0 included; 0: as n needs",
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
    FB_FIELD("run_bytes", "[]", read_run, .list = true, .shape = "advise_run_size", .repeats = true,
             .may_miss = true, .accepted = "runs, newest first: {\"level\": 1, \"bytes\": 1000000}",
             .meaning = "bytes of the tree's runs one by one, newest first, in place of levels, "
                        "ratio and l0",
             .example = "[{\"level\": 0, \"bytes\": 500000}, {\"level\": 1, \"bytes\": "
                        "5000000}]"),
    FB_FIELD_BYTES("segment_bytes", "67108864", 1, 1e12, "bytes of a segment from 1 to 1e12",
                   .meaning = "size of a file of the tree, which has one filter", .of = "bytes",
                   .example = "2097152"),
    FB_FIELD_MEAN_BYTES("value_bytes", "100", 0, 1e9, "mean bytes of a value up to 1e9",
                        .meaning = "mean length of a value", .of = "bytes", .example = "1000"),

    FB_FIELD_SHARE("absent", "0.5", 0, 1, "a share of absent keys from 0 to 1",
                   .meaning = "which share of the queries is for keys that are not in the tree",
                   .of = "a share", .example = "0.7"),
    FB_FIELD_SHARE("absent_low", "-1", -1, 1, "a share from 0 to 1, -1: that of absent",
                   .meaning = "what that share may be at least; -1: it is known", .of = "a share",
                   .example = "0.3"),
    FB_FIELD_SHARE("absent_high", "-1", -1, 1, "a share from 0 to 1, -1: that of absent",
                   .meaning = "what that share may be at most; -1: it is known", .of = "a share",
                   .example = "0.9"),
    FB_FIELD("popularity", "\"uniform\"", fb_read_grammar, .valid = is_popularity,
             .accepted = "the name of a distribution: uniform, zipf:0.99, ...",
             .meaning = "how often each present key is asked for ('filterbench list popularities')",
             .example = "\"zipf:0.99\""),
    FB_FIELD("cache_bytes", "0", fb_read_count, .high = 1e15, .unit = FB_UNIT_BYTES,
             .accepted = "bytes of block cache up to 1e15, 256Mi or 1Gi, 0: none",
             .meaning = "size of the block cache; 0: there is none", .of = "bytes",
             .example = "\"256Mi\""),
    FB_FIELD("device", "\"default\"", fb_read_grammar, .valid = is_device,
             .accepted = "a device's name, a time or a folder, nvme, 100us or measured:FOLDER",
             .meaning = "what a read costs: a device by name ('filterbench list devices'), a time, "
                        "or reads of a file in a folder of yours (measured:FOLDER)",
             .example = "\"nvme\""),
    FB_FIELD_WORD("filter_residency", "\"pinned\"", fb_residencies, "residency",
                  .meaning = "where the engine keeps filters and indexes: pinned in memory, cached "
                             "in the block cache, or there in parts (partitioned); a profile tells "
                             "what each costs",
                  .example = "\"partitioned\""),
    FB_FIELDS_ENGINE_COSTS("a design without one costs as the first, and as much more as it does "
                           "outside of the engine"),
    FB_FIELD_REAL("engine_read_low_ns", "0", 0, 1e12, "ns from 0 to 1e12", .later = true,
                  .meaning = "what a read takes at least, by a profile", .of = "ns",
                  .example = "4100"),
    FB_FIELD_REAL("engine_read_high_ns", "0", 0, 1e12, "ns from 0 to 1e12", .later = true,
                  .meaning = "what a read takes at most, by a profile", .of = "ns",
                  .example = "4900"),
    FB_FIELD_BYTES("device_bytes", "1073741824", 65536, 1e13,
                   "bytes of the file a device is measured on, from 65536 to 1e13",
                   .meaning = "size of the file that measured:FOLDER writes there and reads",
                   .of = "bytes", .example = "4294967296"),
    FB_FIELD_COUNT("queries", "1000000", 1, 1e12, "a count from 1 to 1e12",
                   .meaning = "how many queries are counted for each filter that is simulated",
                   .of = "queries", .example = "100000"),
    FB_FIELD_BUDGET("30"),
    FB_FIELD_CPU,
    FB_FIELD_SEED,
    {0},
};
