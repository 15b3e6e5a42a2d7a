/*
 * advise --again FILE: the same evidence, other inputs. Nothing is measured.
 */
#ifndef FILTERBENCH_HARNESS_VERB_AGAIN_H
#define FILTERBENCH_HARNESS_VERB_AGAIN_H

#include "harness/document/kind.h"

/* Asks what a result of advise rests on again, with `fields` (of an experiment) in place of its
 * own, and prints the answer; writes it only where an output is named. A line on stderr for every
 * code but OK. */
enum fb_exit fb_again(const char *path, const struct fb_run_options *, const json_t *fields);

#endif
