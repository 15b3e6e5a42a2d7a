/*
 * Stored times side by side. They are advice: between two runs the machine drifts by more than most
 * changes of code, so nothing here decides an exit code.
 */
#ifndef FILTERBENCH_HARNESS_COMPARE_TIMES_H
#define FILTERBENCH_HARNESS_COMPARE_TIMES_H

#include "harness/cli.h"
#include "harness/experiment.h"

/* Whether both documents were measured on the same kind of machine; *why says what differs. */
bool fb_same_machine(const json_t *base, const json_t *head, struct fb_problem *why);

/*
 * The cells that both documents of kind "kernels" have, from their samples:
 *
 *     {advice: true, faster, slower, cells: [{cell, base_ns, head_ns, ratio, ratio_ci95,
 *                                             relative, relative_ci95}]}
 *
 * ratio is head / base of the medians over processes; relative the same of the ratios to each run's
 * own yardstick, which do not move with the machine's speed. A process is one observation, a 95 %
 * interval of each run comes from inverting the signed-rank test, and the two are joined as
 * independent: sqrt(a^2 + b^2) of the distances to their ends. faster and slower count the cells
 * whose interval (of relative, where there is one) excludes 1.
 */
json_t *fb_compare_times(const json_t *base, const json_t *head);

void fb_print_times(FILE *, const json_t *times);

#endif
