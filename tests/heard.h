/* What a call says on stderr: hear(); code = call(); assert_heard("its words"). */
#ifndef FILTERBENCH_TESTS_HEARD_H
#define FILTERBENCH_TESTS_HEARD_H

#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *heard_before;
static char *heard;
static size_t n_heard;

static inline void hear(void)
{
    heard_before = stderr;
    stderr = open_memstream(&heard, &n_heard);
}

/* It was one line with these words, or with NULL nothing. */
static inline void assert_heard(const char *words)
{
    fclose(stderr);
    stderr = heard_before;
    if (words ? !strstr(heard, words) || strchr(heard, '\n') != heard + n_heard - 1 : n_heard > 0)
        fail_msg("said '%s', not '%s'", heard, words ? words : "");
    free(heard);
}

#endif
