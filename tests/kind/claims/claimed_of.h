/* A claim from the text of its row. Serves test_claimed.c and test_verdicts.c. */
#ifndef FILTERBENCH_TESTS_KIND_CLAIMS_CLAIMED_OF_H
#define FILTERBENCH_TESTS_KIND_CLAIMS_CLAIMED_OF_H

#include "tests/unit.h"

#include "harness/kind/claims/claims.h"

/* The claim of a row whose "claimed" this is; quotes are single here. */
static struct fb_claimed claimed_of(const char *text, const char **wrong)
{
    char json[400];
    struct fb_claimed claimed;
    size_t i = 0;
    for (; text[i] && i + 1 < sizeof json; i++)
        json[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    json[i] = 0;
    json_auto_t *object = json_loads(json, 0, NULL);
    assert_non_null(object);
    *wrong = fb_claimed_read(object, &claimed);
    return claimed; /* its texts are gone */
}

#endif
