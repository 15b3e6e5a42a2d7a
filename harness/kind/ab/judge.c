/* The exit code of what an experiment of kind "ab" found. */
#include <string.h>

#include "harness/base/message.h"
#include "harness/kind/ab/ab.h"

/* Says which of the two it is that a change of the delta cannot be told by. */
static enum fb_exit unresolved(const json_t *document)
{
    const double delta = fb_json_num(document, "verdict.delta");
    const json_t *cell;
    size_t i;
    json_array_foreach(json_object_get(document, "cells"), i, cell) {
        const double floor = fb_json_num(cell, "change.delta");
        if (!(floor > delta))
            continue;
        fb_error(
            "ab: this machine cannot resolve the delta of %.3g %% that was asked for: of equal "
            "designs it has shown changes of %.3g %% in %s",
            100 * delta, 100 * floor, fb_json_str(cell, "footprint"));
        return FB_EXIT_UNRESOLVED;
    }
    fb_error("ab: this machine cannot resolve the delta of %.3g %% that was asked for: the most "
             "processes that are taken would leave a wider interval",
             100 * delta);
    return FB_EXIT_UNRESOLVED;
}

/* What may tell more of inconclusive cells. */
static const char *what_may_tell(const json_t *document)
{
    return strcmp(fb_json_str(document, "timing.stopped"), "budget")
               ? "no more processes are taken than these; another run may tell"
               : "a longer --budget may tell";
}

enum fb_exit fb_ab_judge(const json_t *document, bool strict)
{
    const json_t *verdict = json_object_get(document, "verdict"), *cell;
    const char *name = fb_json_str(verdict, "verdict");
    size_t i;
    if (!json_is_object(verdict)) {
        fb_error("ab: nothing was timed: every cell is left out");
        return FB_EXIT_UNRESOLVED;
    }
    if (!strcmp(name, "regressed")) {
        json_array_foreach(json_object_get(document, "cells"), i, cell) {
            const json_t *change = json_object_get(cell, "change");
            if (strcmp(fb_json_str(change, "verdict"), "regressed") != 0 ||
                !json_is_true(json_object_get(change, "confirmed")))
                continue;
            fb_error("ab: %llu cells regressed (confirmed), first %s: %.3f ns in BASE and %.3f ns "
                     "in HEAD, %+.1f %%",
                     (unsigned long long)fb_json_uint(verdict, "regressed"),
                     fb_json_str(cell, "id"), fb_json_num(cell, "base.median"),
                     fb_json_num(cell, "head.median"), 100 * (fb_json_num(change, "ratio") - 1));
            break;
        }
        return FB_EXIT_REGRESSED;
    }
    if (!strcmp(name, "unresolved"))
        return unresolved(document);
    if (strcmp(name, "inconclusive") != 0)
        return FB_EXIT_OK;
    const unsigned long long n = fb_json_uint(verdict, "inconclusive");
    if (strict)
        fb_error("ab: inconclusive: %llu cells could be slower or not; %s", n,
                 what_may_tell(document));
    else
        fb_note("inconclusive: %llu cells could be slower or not; %s", n, what_may_tell(document));
    return strict ? FB_EXIT_INCONCLUSIVE : FB_EXIT_OK;
}
