#include "harness/work/work.h"

#include "harness/base/json.h"
#include "harness/base/message.h"

static const char *const lists[FB_WORK_LISTS] = {"cells", "fragments", "skipped", "warnings"};

bool fb_work_recall(struct fb_work *work, const char *step)
{
    const json_t *record = fb_journal_find(work->journal, step);
    for (size_t i = 0; i < FB_WORK_LISTS; i++) {
        json_t *list = json_object_get(work->document, lists[i]);
        json_array_extend(list, json_object_get(record, lists[i]));
        work->before[i] = json_array_size(list);
    }
    return record;
}

enum fb_exit fb_work_keep(struct fb_work *work, const char *step)
{
    if (!work->journal)
        return FB_EXIT_OK;
    json_t *record = json_object();
    for (size_t i = 0; i < FB_WORK_LISTS; i++) {
        const json_t *list = json_object_get(work->document, lists[i]);
        json_t *added = json_array();
        for (size_t j = work->before[i]; j < json_array_size(list); j++)
            json_array_append(added, json_array_get(list, j));
        if (json_array_size(added))
            json_object_set(record, lists[i], added);
        json_decref(added);
    }
    const enum fb_exit code = fb_journal_add(work->journal, step, record);
    json_decref(record);
    return code;
}

enum fb_exit fb_work_end(const struct fb_work *work, enum fb_exit code)
{
    const json_t *first = json_array_get(json_object_get(work->document, "skipped"), 0);
    if (code || work->shard.of > 1 || json_array_size(json_object_get(work->document, "cells")))
        return code;
    fb_error("no cell can be measured: %s: %s", first ? fb_json_str(first, "id") : "the experiment",
             first ? fb_json_str(first, "why") : "it has none");
    return FB_EXIT_USAGE;
}
