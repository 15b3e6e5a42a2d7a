/* What is read of a table's index, as a line: keys, and "<bound@offset; " of each block. */
#ifndef FILTERBENCH_TESTS_ENGINE_SAID_H
#define FILTERBENCH_TESTS_ENGINE_SAID_H

#include "tests/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static inline bool say_key(void *self, const void *key, size_t len)
{
    char *said = self;
    sprintf(said + strlen(said), "%.*s ", (int)len, (const char *)key);
    return true;
}

static inline bool say_block(void *self, uint64_t offset, uint64_t filter, const void *bound,
                             size_t len, bool below)
{
    (void)filter;
    char *said = self;
    sprintf(said + strlen(said), "%s%.*s@%d; ", below ? "<" : "<=", (int)len, (const char *)bound,
            (int)offset);
    return true;
}

#endif
