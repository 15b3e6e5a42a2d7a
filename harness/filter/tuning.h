/*
 * The tuning that is in force (filters/core/tuning.h): read once, when the program starts, set in
 * the library and in every plugin, told in documents, and written as a profile.
 *
 * The environment variable FB_TUNING says which:
 *
 *     not set           the row of this processor, with the caches that the system names
 *     NAME              that row, "amd-zen-4", with these caches
 *     FILE              a profile, as `filterbench tune` writes it, with the caches it names
 *     force:FILE        the same, though it be another machine's
 *
 * A profile is JSON:
 *
 *     {"schema": "filterbench tuning 1", "key": KEY, "machine": {...}, "tool": {...},
 *      "name": "measured", "l2_bytes": 1048576, "l3_bytes": 16777216,
 *      "prefetch": {"query": {"block-32": {"half-L2": "none", ..., "memory": "T1 128"}, ...},
 *                   "insert": {...}},
 *      "measured": [...]}
 *
 * An entry is "none", or a hint and the keys ahead. The yardsticks follow the designs of their
 * line. "measured", what the entries were chosen by, is not read.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_TUNING_H
#define FILTERBENCH_HARNESS_FILTER_TUNING_H

#include <jansson.h>
#include <stdbool.h>

#include "filters/core/tuning.h"
#include "harness/base/exit.h"

struct fb_tuning_source {
    struct fb_tuning tuning;
    const char *from; /* "processor", "name", "file" */
    char *path;       /* of a file, owned; else NULL */
    char *forced;     /* the processor of the other machine that it is of, owned; else NULL */
};
/* What FB_TUNING may be; NULL or "": not set. FB_EXIT_USAGE with a line on stderr: there is no such
 * row or file, or the file is no profile. FB_EXIT_NOT_COMPARABLE with a line: it is another
 * machine's. Close it after FB_EXIT_OK. */
enum fb_exit fb_tuning_find_given(const char *given, struct fb_tuning_source *out);
void fb_tuning_source_close(struct fb_tuning_source *);

/* Puts it in force. What is in force stays where it is refused. */
enum fb_exit fb_tuning_begin(const char *given);

/* Sets the library and every plugin. FB_EINVAL: as fb_tuning_set. */
enum fb_err fb_tuning_use(const struct fb_tuning *) FB_MUST_USE;

/* What documents say of the tuning in force:
 *
 *     {"name": "measured", "from": "file", "path": FILE, "forced": "AMD EPYC 9654",
 *      "l2_bytes": ..., "l3_bytes": ..., "prefetch": {...}}
 *
 * path of a file alone, forced where it is another machine's. */
json_t *fb_tuning_json(void);

/* "amd-zen-5", "measured (/home/...)"; "" where there is none. */
void fb_tuning_say(const json_t *tuning, char *out, size_t size);

/* ---- Entries and profiles ---- */

/* The classes that a profile names: those before the yardsticks. */
enum { FB_N_TUNED_DESIGNS = FB_TUNED_TOUCH_32 };

enum { FB_PREFETCH_TEXT = 16 };
/* "none", "T1 128" */
void fb_prefetch_text(struct fb_prefetch, char out[FB_PREFETCH_TEXT]);

/* Sets the entries of the yardsticks to those of the designs of their line. */
void fb_tuning_follow(struct fb_tuning *);

/* The row that is in force where FB_TUNING is not set, with the caches that the system names. */
void fb_tuning_of_machine(struct fb_tuning *out);

/* A profile of this machine; `measured` is taken over, NULL: it has none. */
json_t *fb_tuning_profile(const struct fb_tuning *, json_t *measured);

/* Reads a profile. FB_EXIT_USAGE with a line on stderr that names file and member; NOT_COMPARABLE
 * where it is another machine's and `other` is NULL. *other: the processor of the other machine,
 * owned by the caller; NULL: it is this one. */
enum fb_exit fb_tuning_load(const char *path, struct fb_tuning *out, char **other);

#endif
