/*
 * The self-check: the parts of this program that verdicts rest on, each asked for answers that are
 * known. A part is a hash, a design, a kernel of an instruction set, a block format, a cache
 * policy, an allocation, a shape of trees. Its answers are folded into one word, and known.def has
 * the word that a right program gives. scripts/known writes that file; a test holds it to the
 * vectors of the real systems.
 *
 * A verdict needs more than answers that agree with theory: a hash with a wrong constant fills
 * filters as well as a right one, and no rate shows it.
 *
 * All of it takes well below a second, on one thread.
 */
#ifndef FILTERBENCH_HARNESS_CHECK_CHECK_H
#define FILTERBENCH_HARNESS_CHECK_CHECK_H

#include "harness/base/exit.h"

#include <stddef.h>
#include <stdint.h>

enum fb_check_state {
    FB_CHECK_RIGHT,
    FB_CHECK_WRONG,
    FB_CHECK_UNKNOWN, /* a part without a line in known.def: nothing is wrong with it as it is */
};

struct fb_checked {
    char part[64]; /* "hash xxh64" */
    enum fb_check_state state;
    uint64_t answer;
    char why[120]; /* of a wrong one, what it does wrong; "other answers than known" */
};

/* Asks all parts in their order; `each` (NULL: nobody looks) is told of every one. How many are
 * wrong. Ends early when interrupted (harness/base/parallel.h). */
size_t fb_self_check(void (*each)(void *arg, const struct fb_checked *), void *arg);

/* FB_EXIT_OK; FB_EXIT_INTERRUPTED; or FB_EXIT_SELF_CHECK, with a line on stderr that names the
 * first wrong part. Parts without known answers are noted on stderr. */
enum fb_exit fb_self_check_or_refuse(void) __attribute__((warn_unused_result));

#endif
