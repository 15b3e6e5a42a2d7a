/*
 * Contests between entries of the tuning, for `tune`: a row for each sort of work, class of kernels
 * and reach that this machine has, each at its places (filter/tuning_place.h).
 *
 * A process of a row is one of each of its places. It is one observation: the mean over places of
 * ln(time of an entry / time of entry 0). Processes of all rows take turns, so that a disturbance
 * falls on all.
 */
#ifndef FILTERBENCH_HARNESS_VERB_TUNE_CONTEST_H
#define FILTERBENCH_HARNESS_VERB_TUNE_CONTEST_H

#include "harness/base/progress.h"
#include "harness/filter/tuning_place.h"
#include "harness/stats/change.h"

struct fb_contest {
    enum fb_tuned_work work;
    enum fb_tuned tuned;
    enum fb_reach reach;
    const struct fb_design
        *design; /* whose places alone these are, with n_keys; NULL: the class's */
    uint64_t n_keys;

    /* What is compared: n entries, the same at all places; or two tunings, each by its own entry
     * for the bytes of a place. */
    struct fb_prefetch entries[FB_PLACE_ENTRIES];
    size_t n;
    const struct fb_tuning *tunings[2];

    bool settled;     /* no more processes are needed */
    size_t processes; /* in the order of time */
    double d[FB_PLACE_ENTRIES][FB_PAIRED_MAX], ns[FB_PLACE_ENTRIES][FB_PAIRED_MAX];

    size_t chosen;           /* index of an entry */
    struct fb_paired paired; /* of the chosen one's d, 95 %; of two tunings as it was judged */
    enum fb_change change;   /* of two tunings: the second's, beside the first */
};

struct fb_contests {
    struct fb_place *places; /* [n_places], owned */
    size_t n_places;
    struct fb_contest *rows; /* [n], owned */
    size_t n;
    int cpu;
    uint64_t seed; /* of the next process */
    struct fb_progress progress;
};

/* Whether a place is one of the row's. */
bool fb_contest_is_of(const struct fb_contest *row, const struct fb_place *);

/* Whether a row is to be measured. */
typedef bool fb_contest_wanted(const void *arg, enum fb_tuned, enum fb_reach);

/* The rows of this machine that are wanted; of each design instead of each class. Close it in
 * either case. */
enum fb_err fb_contests_open(struct fb_contests *, const struct fb_tuning *machine,
                             bool all_designs, fb_contest_wanted *, const void *arg) FB_MUST_USE;
void fb_contests_close(struct fb_contests *);

/*
 * Chooses an entry for each row, beside that of `row`, which is the first: the fastest of all hints
 * and look-aheads, where it is faster by 2 % and more, and its interval of 95 % is below the
 * other's time; else the entry of `row`. Two processes choose the few that 6 others compare, and as
 * many as 16 where that shows none that is worth it but may miss one; of these none starts after
 * budget_s seconds in all. FB_EIO if a process fails. */
enum fb_err fb_contests_choose(struct fb_contests *, const struct fb_tuning *row,
                               double budget_s) FB_MUST_USE;

/* Compares two tunings in each row (stats/change.h, delta 3 %, alpha 1 %): 16 processes, and 32
 * fresh ones of the rows that differ. Rows whose entries are equal are "unchanged" unmeasured, with
 * no process. */
enum fb_err fb_contests_compare(struct fb_contests *, const struct fb_tuning *a,
                                const struct fb_tuning *b) FB_MUST_USE;

/* Median over processes of an entry's time, in ns a key; NaN: there is no process. */
double fb_contest_ns(const struct fb_contest *, size_t entry);

#endif
