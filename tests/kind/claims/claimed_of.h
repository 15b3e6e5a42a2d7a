/* A claim from the text of its row. Serves test_claimed.c and test_verdicts.c. */
#ifndef FILTERBENCH_TESTS_KIND_CLAIMS_CLAIMED_OF_H
#define FILTERBENCH_TESTS_KIND_CLAIMS_CLAIMED_OF_H

#include "tests/documents.h"

#include "harness/kind/claims/claims.h"

/* The claim of a row whose "claimed" this is; quotes are single here. */
static struct fb_claimed claimed_of(const char *text, const char **wrong)
{
    struct fb_claimed claimed;
    json_auto_t *object = quoted(text);
    *wrong = fb_claimed_read(object, &claimed);
    return claimed; /* its texts are gone */
}

#endif
