/* Experiments of kind "lsm" as texts. */
#ifndef FILTERBENCH_TESTS_KIND_LSM_LSM_DOCUMENTS_H
#define FILTERBENCH_TESTS_KIND_LSM_LSM_DOCUMENTS_H

#include "tests/documents.h"

#include "harness/kind/lsm/lsm.h"

/* Release with fb_lsm_close(). */
static inline struct fb_lsm resolved(const char *text)
{
    struct fb_lsm e;
    struct fb_problem problem;
    json_t *document = parsed(text);
    if (!fb_lsm_resolve(document, &e, &problem))
        fail_msg("%s: %s", text, problem.text);
    json_decref(document);
    return e;
}

static inline void assert_refused(const char *text, const char *words)
{
    struct fb_lsm e;
    struct fb_problem problem;
    json_t *document = parsed(text);
    if (fb_lsm_resolve(document, &e, &problem))
        fail_msg("accepted: %s", text);
    assert_says(text, &problem, words);
    fb_lsm_close(&e);
    json_decref(document);
}

#endif
