/*
 * Instructions of the cells of a timing job, counted by valgrind's callgrind: equal from run to
 * run of one executable. Between machines too, but for kernels that call the C library, whose
 * functions differ by processor (null and always call memset).
 *
 * A measuring process runs under callgrind, which collects while a kernel runs and no longer.
 * Counted is the call of the kernel for a block of digests and all that it does: the hashing of
 * keys, the drawing of digests and the loop over blocks are not. What a call costs beside its
 * operations (some 20 instructions a block of up to 2048 digests) is in.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_ICOUNT_H
#define FILTERBENCH_HARNESS_FILTER_ICOUNT_H

#include "harness/filter/timing.h"

struct fb_icount {
    uint64_t operations, instructions; /* both 0: not counted */
};

/*
 * Counts the cells of a job whose filters are built, into out [n_cells]. version: of callgrind,
 * "3.19.0". A cell is not counted where callgrind does not run its instruction set (AVX-512, as of
 * 3.19). FB_EUNSUPPORTED with *why set: valgrind is not there, or does not run this executable (an
 * instrumented one, or one under an emulator).
 */
enum fb_err fb_timing_icount(const struct fb_timing_job *, struct fb_icount *out, char version[32],
                             const char **why) FB_MUST_USE;

#endif
