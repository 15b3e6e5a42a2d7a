/* Experiments of kind "fpr": their fields. */
#include <math.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/fpr/rates.h"

static json_t *read_keygen(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    (void)f;
    const char *names[32] = {"file"}, *name = json_string_value(given), *why;
    struct fb_keygen parsed;
    if (name && (!strcmp(name, names[0]) || fb_keygen_parse(name, &parsed, &why)))
        return json_string(name);
    if (name && strchr(name, ':')) {
        fb_refuse(problem, "%s: there is no kind of keys '%.60s' (%s)", path, name, why);
        return NULL;
    }
    for (size_t i = 0; fb_keygens[i].name && i < 30; i++)
        names[i + 1] = fb_keygens[i].name;
    return fb_reject_name(problem, "kind of keys", path, given, names);
}

/* from * 2^(i / per_octave) rounded, for i = 0, 1, ... while at most `to`, and `to` itself. */
static json_t *read_sweep(struct fb_problem *problem, const struct fb_field *f, const char *path,
                          const json_t *given)
{
    static const struct fb_field parts[] = {
        FB_FIELD_COUNT("from", "null", 1, 1e9, "a count from 1 to 1e9",
                       .meaning = "the first count"),
        FB_FIELD_COUNT("to", "null", 1, 1e9, "a count from 1 to 1e9", .meaning = "the last count"),
        FB_FIELD_COUNT("per_octave", "null", 1, 256, "a count from 1 to 256",
                       .meaning = "how many counts there are up to twice the first"),
        {0},
    };
    struct fb_problem why;
    (void)f;
    json_auto_t *sweep = fb_fields_resolve(parts, given, &why);
    const double from = fb_json_num(sweep, "from"), to = fb_json_num(sweep, "to"),
                 per_octave = fb_json_num(sweep, "per_octave");
    if (!sweep || to < from) {
        if (sweep)
            fb_refuse(&why, "to: below from; give a count from %.0f up", from);
        fb_refuse(problem, "%s.%s", path, why.text);
        return NULL;
    }
    json_t *list = json_array();
    double last = 0;
    for (unsigned i = 0; last < to; i++) {
        double n = fmin(to, rint(from * fb_exp(i / per_octave * FB_LN2)));
        if (n > last)
            json_array_append_new(list, json_integer((json_int_t)n));
        last = n;
    }
    return list;
}

static json_t *read_count_or_sweep(struct fb_problem *problem, const struct fb_field *f,
                                   const char *path, const json_t *given)
{
    return (json_is_object(given) ? read_sweep : fb_read_count)(problem, f, path, given);
}

const struct fb_field fb_rates_fields[] = {
    FB_FIELDS_FIRST("experiment", "fpr"),
    FB_FIELD_DESIGNS("[\"filters\"]"),
    FB_FIELD("bits_per_key", "[]", fb_read_real, .list = true, .high = 1e6, .above = true,
             .may_miss = true, .accepted = "a number above 0 and at most 1000000",
             .meaning = "size of a filter: bits of memory for each key that it holds",
             .of = "bits per key", .example = "[8, 12]"),
    FB_FIELD_SHARES("fpr", "[]", 1e-12, 0.99, true, "a rate from 1e-12 to 0.99",
                    .meaning = "size of a filter: the share of absent keys that it may let "
                               "through; the design chooses the bits",
                    .of = "a rate", .example = "[0.01, 0.001]"),
    FB_FIELD("n", "[10000]", read_count_or_sweep, .list = true, .shape = "count", .low = 0,
             .high = 1e9, .unit = FB_UNIT_COUNT, .accepted = "a count from 0 to 1e9",
             .meaning = "how many keys a filter holds; {\"from\": 1000, \"to\": 1000000, "
                        "\"per_octave\": 2} is a series of such counts",
             .of = "keys", .example = "[10000, 1000000]"),
    FB_FIELD("file_n", "[]", fb_read_count, .list = true, .may_lack = true, .may_miss = true,
             .high = 1e9, .unit = FB_UNIT_COUNT,
             .accepted = "a count of a file's keys from 0 to 1e9",
             .meaning = "with --keys: how many of the user's keys a filter holds, drawn anew for "
                        "each; none: half of them",
             .of = "keys", .example = "[1000]"),
    FB_FIELD("keys", "[\"random\"]", read_keygen, .list = true,
             .meaning = "which keys there are: formats of made keys, or file for those of --keys "
                        "('filterbench list formats')",
             .example = "[\"random\", \"sequential\"]"),
    {.name = "hash",
     .fallback = "null",
     .read = fb_read_hash,
     .meaning = "a hash that replaces each design's own, to tell what is due to it; null: the "
                "design's own ('filterbench list hashes')",
     .example = "\"xxh3-64\""},
    FB_FIELD_REALS("capacity_factor", "[1]", 0.001, 1000, false, "a number from 0.001 to 1000",
                   .meaning = "a filter is made for so many times the keys that it then gets: 0.5 "
                              "fills it to twice what it was made for",
                   .of = "times n", .example = "[0.5, 1, 2]"),
    FB_FIELD("k", "[]", fb_read_count, .list = true, .later = true, .may_miss = true, .low = 1,
             .high = FB_MAX_PROBES, .accepted = "a number of probes from 1 to 64",
             .meaning = "how many probes a key has; none: as many as the design chooses",
             .of = "probes", .example = "[4, 7]"),
    FB_FIELD_COUNT("filters", "32", 1, 65536, "a count from 1 to 65536",
                   .meaning = "how many filters of each sort are built, each of keys of its own; "
                              "the interval of a rate is over them",
                   .of = "filters", .example = "64"),
    FB_FIELD_COUNT("probes", "65536", 1, 1e9, "a count from 1 to 1e9",
                   .meaning = "how many absent keys each filter is asked for", .of = "queries",
                   .example = "1000000"),
    FB_FIELD_SHARE("precision", "0", 0, 1, "a number from 0 to 1 (0.02: an interval of +-2 %)",
                   .meaning = "go on with more filters until the half of a rate's 95 % interval is "
                              "such a share of the rate; 0: measure once",
                   .of = "a share of the rate", .example = "0.01"),
    FB_FIELD_COUNT("max_probes", "33554432", 1, 1e12, "a count from 1 to 1e12",
                   .meaning = "the most that is asked of all filters of one sort together, where "
                              "precision is above 0",
                   .of = "queries", .example = "100000000"),
    FB_FIELD_SEED,
    {0},
};
