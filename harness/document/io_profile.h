/*
 * What Gets of an engine cost on a machine, as a run of kind engine found: a profile, which
 * `engine cost` makes, and `engine --io` and `advise --io` price Gets with.
 *
 * A cell of the profile has the costs of one filter (engine/cost.h), for a way of keeping filters
 * and a way of reading. Cells that differ by the size of their filters alone tell of the same costs
 * where reads are more or less often: a time is taken from the line through them, and the interval
 * has those of all.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_IO_PROFILE_H
#define FILTERBENCH_HARNESS_DOCUMENT_IO_PROFILE_H

#include "harness/base/exit.h"
#include "harness/document/fields.h"
#include "harness/engine/cost.h"
#include "harness/stats/histogram.h"

/* Of Gets: which cells tell of them, and what each does, in means. */
struct fb_io_gets {
    const char *filter; /* its name in the engine; NULL: any of the engine's own */
    const char *design, *residency, *reads; /* "rocksdb-ribbon", "pinned", "page-cache" */
    struct fb_cost_work work;
};

/* Reads a result of kind engine with costs: *document is the caller's, trusted (check.h).
 * FB_EXIT_USAGE with a line on stderr where it is none, or of a run that did not finish;
 * FB_EXIT_NOT_COMPARABLE where it is a profile of another engine than this ("": any), of data
 * blocks of another size, or of a cache smaller than its filters. A note where it was made on
 * another machine. */
enum fb_exit fb_io_profile_load(const char *path, const char *engine, double block_bytes,
                                json_t **document);

/* A mean time in ns. False: no cell of the profile tells. */
bool fb_io_profile_get(const json_t *profile, const struct fb_io_gets *, struct fb_cost *out);

/* How long single Gets take: read_bins[k] of them read k data blocks ("read_bins" of kind engine),
 * and those of absent keys that read none or one, and those of present keys that read one, take as
 * long as in the profile; for what they do more or less, the terms tell. gets->work.found > 0: of
 * present keys. False: no cell of the profile tells. */
bool fb_io_profile_times(const json_t *profile, const struct fb_io_gets *gets,
                         const json_t *read_bins, struct fb_histogram *out);

/* ---- As fields of an experiment ---- */

/* Sets the fields below and "device", as the cells of `gets` say, whose design does not count: a
 * tree is taken to be much larger than the processor's caches. False: they do not tell; nothing is
 * set. */
bool fb_io_profile_fields(const json_t *profile, const struct fb_io_gets *, json_t *fields);
fb_read_fn fb_read_engine_check;
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define FB_FIELDS_ENGINE_COSTS(others)                                                             \
    FB_FIELD_REAL("engine_base_ns", "0", 0, 1e9, "ns from 0 to 1e9", .later = true,                \
                  .meaning = "what a Get costs the engine beside filters and reads, by a profile " \
                             "(--io FILE)",                                                        \
                  .of = "ns", .example = "350"),                                                   \
        FB_FIELD("engine_checks", "[]", fb_read_engine_check, .list = true,                        \
                 .shape = "engine_check", .may_miss = true, .later = true, .high = 1e9,            \
                 .accepted = "{\"design\": NAME, \"ns\": NS}",                                     \
                 .meaning = "what asking one filter costs the engine, by a profile; " others,      \
                 .example = "[{\"design\": \"rocksdb-fastlocal\", \"ns\": 210}]"),                 \
        FB_FIELD("costs_from", "\"\"", fb_read_text, .high = 1000, .later = true,                  \
                 .accepted = "a text of up to 1000 bytes",                                         \
                 .example = "\"rocksdb 7.8.3, page-cache\"", .meaning = "which profile that is")
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- About a profile ---- */

/* The ways of keeping filters and of reading that it tells of: "pinned from page-cache, cached from
 * page-cache". */
void fb_io_profile_ways(const json_t *profile, char *out, size_t size);

/* {"engine", "version", "cpu_model", "kernel", "date", "block_bytes", "content_xxh3_128"}, to be
 * released: which profile it is. */
json_t *fb_io_profile_about(const json_t *profile);

#endif
