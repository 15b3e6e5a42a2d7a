/*
 * What a study pins, so that all its shards are of one revision and of the same keys: the program,
 * and the files that its command names.
 */
#ifndef FILTERBENCH_HARNESS_STUDY_PIN_H
#define FILTERBENCH_HARNESS_STUDY_PIN_H

#include <jansson.h>

#include "harness/base/exit.h"

/* {file: hash} of the files that words of a command name, as "FILE" or "--option=FILE": keys,
 * experiments, plugins. Paths are told from the folder where this process is. To be released. */
json_t *fb_pin_files(const json_t *command);

/* Whether this program is the "tool" of a study and the "files" are as they were, in the folder
 * where this process is; a study without these members passes. `name` is the study's, for messages.
 * FB_EXIT_NOT_COMPARABLE with a line on stderr. */
enum fb_exit fb_pin_check(const char *name, const json_t *study);

#endif
