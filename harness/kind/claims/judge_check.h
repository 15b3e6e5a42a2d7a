/*
 * Verdicts that are known: what the judge must say of findings made for it, before it is asked for
 * others. The self-check (harness/check) asks the parts that measure; this asks the part that draws
 * conclusions, the theory of a walk, and every procedure that counts.
 *
 * This header serves judge_check.c and procedure_check.c.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_JUDGE_CHECK_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_JUDGE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/exit.h"

/* FB_EXIT_OK; FB_EXIT_INTERRUPTED; or FB_EXIT_SELF_CHECK, with a line on stderr that names the
 * first wrong answer. */
enum fb_exit fb_judge_check(void) __attribute__((warn_unused_result));

/* Whether small rows of all procedures that count give the findings that are known: theory,
 * interval, p and counts, predicted and measured. Else `which` names the first and its answer. */
bool fb_procedures_are_right(char *which, size_t size);

#endif
