/* The exit code of what an experiment of kind "ab" found. */
#include <string.h>

#include "harness/base/message.h"
#include "harness/kind/ab/ab.h"

static void say_slower(const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells"),
                 *cell = fb_json_find(cells, "change.verdict", "slower");
    fb_error("ab: HEAD is slower in %llu of %zu cells, first %s: %+.1f %% (BASE takes %.3f ns)",
             (unsigned long long)fb_json_uint(document, "verdict.slower"), json_array_size(cells),
             fb_json_str(cell, "id"), 100 * (fb_json_num(cell, "change.ratio") - 1),
             fb_json_num(cell, "base.median"));
}

/* Why it cannot be told, as what to do. */
static void say_why(const json_t *document, char *out, size_t size)
{
    const unsigned long long left_out = fb_json_uint(document, "verdict.left_out"),
                             open = fb_json_uint(document, "verdict.not_confirmed"),
                             coarse = fb_json_uint(document, "verdict.coarse");
    if (left_out || open)
        snprintf(out, size,
                 "the budget had no time for %llu cells (%llu of them suspicious); give a longer "
                 "--budget",
                 left_out + open, open);
    else
        snprintf(
            out, size,
            "in %llu cells a slowdown of %.3g %% could have been missed; try a quieter machine or "
            "a larger --delta",
            coarse, 100 * fb_json_num(document, "verdict.delta"));
}

enum fb_exit fb_ab_judge(const json_t *document, bool strict)
{
    const json_t *verdict = json_object_get(document, "verdict");
    const char *name = fb_json_str(verdict, "verdict");
    char why[200];
    if (fb_json_num(document, "experiment.first") == 0)
        return FB_EXIT_OK; /* nobody asked for times */
    if (!json_is_object(verdict)) {
        fb_error("ab: nothing was timed: every cell is left out");
        return FB_EXIT_UNRESOLVED;
    }
    if (!strcmp(name, "machine")) {
        fb_error("ab: %llu of the controls, which are equal code, moved: this machine cannot be "
                 "trusted now",
                 (unsigned long long)fb_json_uint(verdict, "controls_moved"));
        return FB_EXIT_UNRESOLVED;
    }
    if (!strcmp(name, "slower")) {
        say_slower(document);
        return FB_EXIT_REGRESSED;
    }
    if (strcmp(name, "cannot tell") != 0)
        return FB_EXIT_OK;
    say_why(document, why, sizeof why);
    if (strict)
        fb_error("ab: cannot tell: %s", why);
    else
        fb_note("cannot tell: %s", why);
    return strict ? FB_EXIT_INCONCLUSIVE : FB_EXIT_OK;
}
