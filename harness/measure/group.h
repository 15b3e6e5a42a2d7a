/*
 * Time, taken once for all: members timed against each other in several processes. It knows no
 * filter.
 *
 * A member is a candidate (measure.h). A part is what one process measures: its members are visited
 * in the same rounds, so a ratio is taken to a member of the same part. Each part has a child of
 * its own. Parts take turns, a process each, so that every part is spread over the whole
 * measurement. Example: filters of 12.5 kB are one part, filters of 384 MB another; a filter's
 * ratio is to the yardstick of its own part.
 *
 * The parent calls fb_group_open, describes members and parts, and calls fb_group_run
 * (group_run.c). A child pins itself, makes its candidates and calls fb_group_deliver
 * (group_run.c). The estimates follow from the samples alone (group_estimate.c): `validate` fills
 * in the samples of a document and derives them again.
 *
 * A process is one observation: the median over its rounds of ln ns, or of the difference to
 * another member's ln ns in the same round. Intervals are over processes in the order of time,
 * widened by the memory that the noise of the whole group shows (serial.h).
 */
#ifndef FILTERBENCH_HARNESS_MEASURE_GROUP_H
#define FILTERBENCH_HARNESS_MEASURE_GROUP_H

#include "harness/measure/measure.h"
#include "harness/measure/processes.h"
#include "harness/stats/paired.h"

enum { FB_GROUP_ROUNDS = 1000 }; /* of a process, at most */

/* Plain data: travels to the children in the files of their parts. */
struct fb_group_options {
    size_t rounds;        /* of a process, 1 to FB_GROUP_ROUNDS */
    size_t min_processes; /* of a part; 95 % intervals take 6, the memory FB_MEMORY_LEAST */
    size_t max_processes; /* of a part, min_processes to FB_PAIRED_MAX */
    double precision;     /* see struct fb_group_watch */
    double budget_s;      /* no process starts later, once each part has min_processes */
    uint64_t seed;
    int cpu; /* that children pin themselves to; -1: none */
    double min_batch_ns;
    double quantum_ns; /* of the timer: fb_clock_quality */
    size_t set;        /* of members of a part: see struct fb_measure_options */
};

struct fb_estimate {
    double ns, ns_min, ns_mean, ns_mad; /* over all rounds of all processes; median first */
    struct fb_interval ns95, ns99;      /* over processes */
    double ratio;                       /* NaN: to no member */
    struct fb_interval ratio95, ratio99;
    double sd_process, sd_round; /* of ln ns: between processes, between rounds of one */
    uint32_t retries, flagged;   /* batches repeated; samples with a flag */
};

struct fb_member {
    uint32_t part;   /* index */
    uint32_t series; /* A small number. Members of one series share their noise, as the lookups of
                      * a part do: together they count as one observation of its memory. */
    int32_t to;      /* index of the member of the part that its ratio is taken to; -1: none */
    bool aside;      /* shown for comparison: the run does not go on for its precision */
    struct fb_sample *samples;   /* [processes of the part][rounds], in the group's array */
    struct fb_estimate estimate; /* zero until a process of its part has delivered */
};

enum fb_stop { FB_STOP_PRECISION, FB_STOP_BUDGET, FB_STOP_PROCESSES, FB_STOP_INTERRUPTED };
const char *fb_stop_name(enum fb_stop); /* "precision", "budget", "processes", "interrupted" */

struct fb_part {
    const struct fb_child *child; /* delivers struct fb_sample [rounds][members of the part] */
    int job_fd;                   /* what the child is to do; owned; -1: none */
    size_t processes;             /* that delivered */
    double spent_s;               /* by them */
    bool ended;                   /* it has enough, */
    enum fb_stop stopped;         /* and why */
};

struct fb_group {
    size_t n_members, n_parts, rounds;
    struct fb_member *members; /* [n_members], owned */
    struct fb_part *parts;     /* [n_parts], owned; those without members get no process */
    struct fb_sample *samples; /* of all members, owned */
    double memory, memory_ns;  /* of the noise in ratios and in times (serial.h) */
    bool independent;     /* no part has FB_MEMORY_LEAST processes, so none can tell the memory:
                           * intervals take processes for independent */
    bool cpu_clock;       /* estimates are of cpu_ns: over a tenth of the batches were repeats */
    double half_width;    /* fb_group_half_width of the widest part */
    bool executed;        /* every process was started anew, not only forked */
    enum fb_stop stopped; /* what ended a part that was not precise enough; else precision */
};

/* Room for max_processes of `rounds` rounds in each part. Members are zeroed, their samples set;
 * parts have no file. FB_ENOMEM; close it in either case. */
enum fb_err fb_group_open(struct fb_group *, size_t n_members, size_t n_parts, size_t rounds,
                          size_t max_processes) FB_MUST_USE;
void fb_group_close(struct fb_group *); /* closes the files of its parts as well */

/* What one process delivered. */
struct fb_turn {
    size_t part;           /* that it measured */
    double spent_s;        /* by it */
    bool executed;         /* it was started anew, not only forked */
    struct fb_sample *row; /* [n]: rounds of the members of the part */
    size_t n;
};

struct fb_group_watch {
    void *arg;
    /* For a run that may end early and be gone on with; NULL: none. `number`: of the process among
     * all. recall: what it delivered before, where turn->part is that part's; spent_s, executed and
     * row [n] are filled in. False: it is run now. keep: false where it could not be kept, which
     * ends the run with FB_EIO. */
    bool (*recall)(void *arg, size_t number, struct fb_turn *turn);
    bool (*keep)(void *arg, size_t number, const struct fb_turn *turn);
    /* Before each process of a part that is run now; NULL: nothing is to be done. */
    void (*before)(void *arg, const struct fb_group *, size_t part);
    /* After each process, with estimates of what there is so far. NULL: nobody looks. */
    void (*progress)(void *arg, const struct fb_group *);
    /* Whether a part needs no more processes. NULL: its half-width is within options->precision. */
    bool (*precise)(void *arg, const struct fb_group *, size_t part);
    double (*seconds)(void *arg); /* what turns and the budget are counted by; NULL: fb_seconds */
};

/*
 * Measures and estimates. Members need part, series, to and aside; parts with members need a child
 * and a file; rounds and max_processes are those of fb_group_open. FB_EIO if a child fails. When
 * fb_interrupted(), stopped is FB_STOP_INTERRUPTED, and what was delivered is estimated.
 */
enum fb_err fb_group_run(struct fb_group *, const struct fb_group_options *,
                         const struct fb_group_watch *) FB_MUST_USE;

/* Estimates, memories, half_width, independent and cpu_clock from the samples. Parts need the
 * number of their processes, members all but the estimate. FB_ENOMEM. */
enum fb_err fb_group_estimate(struct fb_group *) FB_MUST_USE;

/* Processes of all parts. */
size_t fb_group_processes(const struct fb_group *);

/* Seconds that all processes are likely to take, once one has delivered: as many as the precision
 * seems to need, in a budget of that many seconds. */
double fb_group_expected_s(const struct fb_group *, const struct fb_group_options *,
                           double budget_s);

/* The widest relative half-width of a 95 % ratio interval in a part, but for members aside: 0.01 is
 * +-1 %. Infinite where one has no interval; 0 where there is no ratio. */
double fb_group_half_width(const struct fb_group *, size_t part);

/* The observations of a member: ln ns in each process or, with `to` a member of its part, ln of the
 * ratio. *sd_round, which may be NULL: between rounds, the mean over processes. Returns their
 * number. */
size_t fb_group_logs(const struct fb_group *, size_t member, int32_t to, double out[FB_PAIRED_MAX],
                     double *sd_round);

/* ---- The child's side ---- */

/* Measures n candidates, the members of the part in their order, and writes the samples to out_fd.
 * The child has pinned itself (fb_pin in noise.h) before it placed its data. Returns an enum
 * fb_exit. */
int fb_group_deliver(const struct fb_group_options *, const struct fb_candidate *, size_t n,
                     uint64_t placement, int out_fd);

#endif
