/* What is at work, named when a check of it fails. */
#ifndef FILTERBENCH_TESTS_NAMED_H
#define FILTERBENCH_TESTS_NAMED_H

#include "tests/unit.h"

static char current[160];

/* A teardown for each test. */
static inline int name_failure(void **state)
{
    (void)state;
    if (*current)
        print_error("in %s\n", current);
    *current = '\0';
    return 0;
}

#endif
