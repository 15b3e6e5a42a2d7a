#include "harness/check/check.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/check/parts.h"

/* What others rest on comes first, so that the first one named is the one to look at. */
static const struct fb_check_part *const tables[] = {
    fb_check_hashes,    fb_check_statistics, fb_check_designs, fb_check_kernels,
    fb_check_workloads, fb_check_stores,     fb_check_trees,
};

/* Ends with part == NULL. */
static const struct known {
    const char *part;
    uint64_t answer;
} known[] = {
#define KNOWN(part, answer) {part, UINT64_C(answer)},
#include "harness/check/known.def"
#undef KNOWN
    {NULL, 0},
};

/* ---- All parts ---- */

static const struct known *find(const char *part)
{
    const struct known *k = known;
    while (k->part && strcmp(k->part, part) != 0)
        k++;
    return k->part ? k : NULL;
}

static const char *name_of(const struct fb_check_part *part, size_t i)
{
    if (part->name)
        return part->name(i);
    return *(const char *const *)(const void *)((const char *)part->table + i * part->stride);
}

static struct fb_checked check(const struct fb_check_part *part, const char *name, size_t i)
{
    struct fb_answers answers = {0};
    struct fb_checked checked = {.state = FB_CHECK_RIGHT};
    snprintf(checked.part, sizeof checked.part, "%s %s", part->subject, name);
    part->ask(i, &answers);
    checked.answer = answers.fold;
    const struct known *right = find(checked.part);
    if (!answers.why[0] && right && right->answer != answers.fold)
        fb_answer_wrong(&answers, "other answers than known");
    if (answers.why[0])
        checked.state = FB_CHECK_WRONG;
    else if (!right)
        checked.state = FB_CHECK_UNKNOWN;
    memcpy(checked.why, answers.why, sizeof checked.why);
    return checked;
}

size_t fb_self_check(void (*each)(void *arg, const struct fb_checked *), void *arg)
{
    size_t wrong = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct fb_check_part *part = tables[t]; part->subject; part++) {
            const char *name;
            for (size_t i = 0; (name = name_of(part, i)); i++) {
                const struct fb_checked checked = check(part, name, i);
                if (fb_interrupted())
                    return wrong;
                wrong += checked.state == FB_CHECK_WRONG;
                if (each)
                    each(arg, &checked);
            }
        }
    return wrong;
}

/* ---- Before verdicts ---- */

static void look(void *arg, const struct fb_checked *checked)
{
    struct fb_checked *first = arg;
    if (checked->state == FB_CHECK_WRONG && !first->part[0])
        *first = *checked;
    if (checked->state == FB_CHECK_UNKNOWN)
        fb_note("self-check: %s has no known answers: it goes unchecked", checked->part);
}

enum fb_exit fb_self_check_or_refuse(void)
{
    struct fb_checked first = {0};
    const size_t wrong = fb_self_check(look, &first);
    if (fb_interrupted())
        return FB_EXIT_INTERRUPTED;
    if (!wrong)
        return FB_EXIT_OK;
    fb_error("self-check: %s: %s%s; nothing is judged", first.part, first.why,
             wrong > 1 ? ", and other parts are wrong too" : "");
    return FB_EXIT_SELF_CHECK;
}
