/*
 * Between the files of the self-check: tables of parts, by subject, and the answers they give. The
 * self-check of the claims' procedures (kind/claims) folds its answers alike.
 */
#ifndef FILTERBENCH_HARNESS_CHECK_PARTS_H
#define FILTERBENCH_HARNESS_CHECK_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filters/core/filter.h"

/* The answers of a part, folded in their order. */
struct fb_answers {
    uint64_t fold;
    char why[120]; /* "": nothing is wrong but perhaps the fold */
};

void fb_answer_word(struct fb_answers *, uint64_t);
void fb_answer_bytes(struct fb_answers *, const void *bytes, size_t n);
/* To ten digits: what the last bits of a sum may differ in is no other answer. */
void fb_answer_real(struct fb_answers *, double);
/* The first fault is kept. */
void fb_answer_wrong(struct fb_answers *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A fault if err is an error; whether it is none. */
bool fb_answer_ok(struct fb_answers *, enum fb_err, const char *what);
/* The same for what may be interrupted. */
bool fb_answer_complete(struct fb_answers *, enum fb_err, bool complete, const char *what);

/* Parts "subject name", for i = 0, 1, ... until the name is NULL. */
struct fb_check_part {
    const char *subject;
    void (*ask)(size_t i, struct fb_answers *);
    const char *(*name)(size_t i); /* NULL: row i of the table begins with its name */
    const void *table;
    size_t stride;
};
#define FB_NAMED(rows) .table = (rows), .stride = sizeof *(rows)

/* Tables, ending with subject == NULL. */
extern const struct fb_check_part fb_check_hashes[], fb_check_designs[], fb_check_kernels[],
    fb_check_workloads[], fb_check_trees[], fb_check_stores[], fb_check_statistics[];

/* Filters of n keys, of one and of 150 are asked by every kernel in every way; or written in a
 * format and read: whole, cut short and with more behind. Another stream has other keys. */
void fb_check_kernels_at(const struct fb_design *, const struct fb_params *, size_t n,
                         uint64_t stream, struct fb_answers *);
void fb_check_format_at(const struct fb_design *, const struct fb_format *,
                        const struct fb_params *, size_t n, uint64_t stream, struct fb_answers *);
/* Digests of keys of all lengths. */
void fb_check_digests(const struct fb_design *, struct fb_answers *);

/* Of design i of the registry; NULL: there are fewer. */
const char *fb_check_design_name(size_t i);

/* So many bits per key as of fb_bits_taken; where the design takes no bits the rate, or the nearest
 * of 2, 4, 8, ... times the rate that it reaches. */
struct fb_params fb_check_params(const struct fb_design *, double bits, double fpr);

#endif
