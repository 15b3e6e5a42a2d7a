/* The exit code of what an experiment of kind "ab" found. */
#include <string.h>

#include "harness/base/message.h"
#include "harness/kind/ab/ab.h"

enum fb_exit fb_ab_judge(const json_t *document, bool strict)
{
    const json_t *verdict = json_object_get(document, "verdict"), *cell;
    const char *name = fb_json_str(verdict, "verdict");
    size_t i;
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
    if (!strcmp(name, "unresolved")) {
        fb_error("ab: this machine cannot resolve the delta of %.3g %% that was asked for: the "
                 "most processes that are taken would leave a wider interval",
                 100 * fb_json_num(verdict, "delta"));
        return FB_EXIT_UNRESOLVED;
    }
    if (strcmp(name, "inconclusive") != 0)
        return FB_EXIT_OK;
    const unsigned long long n = fb_json_uint(verdict, "inconclusive");
    if (strict)
        fb_error("ab: inconclusive: %llu cells could be slower or not; a longer --budget may tell",
                 n);
    else
        fb_note("inconclusive: %llu cells could be slower or not; a longer --budget may tell", n);
    return strict ? FB_EXIT_INCONCLUSIVE : FB_EXIT_OK;
}
