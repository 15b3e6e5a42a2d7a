#include "harness/check/contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check/contract_scene.h"

static const struct fb_contract_part *const tables[] = {fb_contract_answers, fb_contract_blocks,
                                                        fb_contract_traits, fb_contract_builds};

const struct fb_contract_part *fb_contract_part_at(size_t i)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct fb_contract_part *part = tables[t]; part->name; part++)
            if (i-- == 0)
                return part;
    return NULL;
}

void fb_contract_ask(const struct fb_contract_part *part, const struct fb_design *design,
                     struct fb_contract_answer *out)
{
    static _Thread_local struct fb_contract c; /* static: longjmp leaves it as it is */
    memset(&c, 0, sizeof c);
    c.design = design;
    if (!setjmp(c.broken))
        part->ask(&c);
    free(c.digests);
    *out = (struct fb_contract_answer){.holds = !c.answers.why[0], .code = c.answers.fold};
    if (!out->holds)
        snprintf(out->why, sizeof out->why, "%s%s%s", c.answers.why, c.doing[0] ? "; " : "",
                 c.doing);
}
