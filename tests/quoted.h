/* JSON as C writes it best: 'text' stands for "text". */
#ifndef FILTERBENCH_TESTS_QUOTED_H
#define FILTERBENCH_TESTS_QUOTED_H

#include "tests/unit.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Release with json_decref(). */
static inline json_t *quoted(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; (c = strchr(c, '\''));)
        *c = '"';
    json_t *json = json_loads(copy, 0, NULL);
    free(copy);
    if (!json)
        fail_msg("not JSON: %s", text);
    return json;
}

#endif
