/*
 * Times for the rows of a run, all measured as one group (group.h): so each is spread over the
 * whole measurement, and all tell of the same noise.
 *
 * A procedure of times runs several times. First all rows ask: each adds what it wants timed as a
 * part, or finds it among the parts, and has no estimate yet. Then the group is measured, or its
 * samples are read from a document. Then each row asks for the same and gets estimates.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_TIMES_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_TIMES_H

#include <jansson.h>

#include "harness/measure/group.h"

enum { FB_TIMES_MEMBERS = 8 }; /* of a part, at most */

struct fb_times_part {
    json_t *key;                  /* owned: rows that give equal keys share the part */
    void *self;                   /* what is timed, owned; NULL where samples are to be read */
    size_t n;                     /* members */
    int32_t to[FB_TIMES_MEMBERS]; /* member of the part that the ratio is taken to; -1: none */
    /* Makes the part of the group: its child and its file. *why may say what is wrong. */
    enum fb_err (*open)(void *self, const struct fb_group_options *, struct fb_part *out,
                        const char **why);
    void (*close)(void *self); /* in either case, and without open() too */
};

/* Zeroed: nothing was asked for. */
struct fb_times {
    struct fb_times_part *parts; /* [n], owned */
    size_t n;
    size_t asked;          /* the part that a row asked for last */
    struct fb_group group; /* of these parts; zero until it is measured */
};
void fb_times_close(struct fb_times *);

/* Whether a part has this key; it becomes the one asked for. */
bool fb_times_find(struct fb_times *, const json_t *key);
/* One more part, which becomes the one asked for; refers to its key. FB_ENOMEM: it is closed. */
enum fb_err fb_times_add(struct fb_times *, struct fb_times_part) FB_MUST_USE;

/* With estimates, of the part asked for last; NULL before one of its processes has delivered. */
const struct fb_member *fb_times_members(const struct fb_times *);

/* What a document keeps of the parts in their order: [{of, members: [{time}]}], where "of" is the
 * key and "time" as in group_json.h. */
json_t *fb_times_json(const struct fb_times *);
/* Takes the samples of such a list. False, with *why, where they are not of these parts. */
bool fb_times_read(struct fb_times *, const json_t *, const char **why);

/* Measures all parts. *why may say what is wrong. */
enum fb_err fb_times_measure(struct fb_times *, const struct fb_group_options *,
                             const struct fb_group_watch *, const char **why) FB_MUST_USE;

#endif
