/*
 * Stored times side by side. They are advice: between two runs the machine drifts by more than most
 * changes of code, so nothing here decides an exit code.
 */
#ifndef FILTERBENCH_HARNESS_KIND_KERNELS_COMPARE_TIMES_H
#define FILTERBENCH_HARNESS_KIND_KERNELS_COMPARE_TIMES_H

#include "harness/document/experiment.h"

/* Whether both documents were measured on the same kind of machine; *why says what differs. */
bool fb_same_machine(const json_t *base, const json_t *head, struct fb_problem *why);

/*
 * The cells that both documents of kind "kernels" have, from their samples:
 *
 *     {advice: true, against, compared, faster, slower, tunings (names, where the two differ),
 *      cells: [{cell, base_ns, head_ns, ratio, ratio_ci95, relative, relative_ci95,
 *               repeats_within}]}
 *
 * ratio is head / base of the times; relative the same of the ratios to each run's own yardstick
 * or, where `against` names a design, to its cell that is asked alike: those do not move with the
 * machine's speed. The 95 % interval of each run is over its processes (serial.h), and the two are
 * joined as independent: sqrt(a^2 + b^2) of the distances to their ends. repeats_within is how far
 * the first and the second half of a run's processes are apart in the same ratio, in the run where
 * that is more: 0.02 where one half has 2 % above the other. faster and slower count the cells
 * whose interval of relative excludes 1 and which moved by more than repeats_within, of those
 * compared, which have an interval.
 */
json_t *fb_compare_times(const json_t *base, const json_t *head, const char *against);

void fb_print_times(FILE *, const json_t *times);

#endif
