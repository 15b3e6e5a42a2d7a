/* What a call says on stderr: code = HEARD("its words", call()); one line, or with NULL nothing. */
#ifndef FILTERBENCH_TESTS_HEARD_H
#define FILTERBENCH_TESTS_HEARD_H

#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEARD(words, call) (hear(), heard_code = (int)(call), assert_heard(words), heard_code)

static FILE *heard_before;
static char *heard;
static size_t n_heard;
static int heard_code;

static inline void hear(void)
{
    heard_before = stderr;
    stderr = open_memstream(&heard, &n_heard);
}

static inline void assert_heard(const char *words)
{
    fclose(stderr);
    stderr = heard_before;
    if (words ? !strstr(heard, words) || strchr(heard, '\n') != heard + n_heard - 1 : n_heard > 0)
        fail_msg("said '%s', not '%s'", heard, words ? words : "");
    free(heard);
}

#endif
