/* A group of samples made by hand: member 0 and member 1, which costs `ratio` times as much. Each
 * process has its own speed and each round its own weather, which both share. */
#ifndef FILTERBENCH_TESTS_MADE_GROUP_H
#define FILTERBENCH_TESTS_MADE_GROUP_H

#include "tests/unit.h"

#include "harness/measure/group.h"

enum { MADE_ROUNDS = 3, MADE_MEMBERS = 2 };

static inline struct fb_group make_group(size_t processes, double ratio, uint32_t retries)
{
    struct fb_group g;
    assert_int_equal(fb_group_open(&g, MADE_MEMBERS, 1, MADE_ROUNDS, processes), FB_OK);
    g.parts[0].processes = processes;
    for (size_t m = 0; m < MADE_MEMBERS; m++) {
        g.members[m].to = m ? 0 : -1;
        for (size_t i = 0; i < processes * MADE_ROUNDS; i++) {
            double process = 1 + 0.1 * (double)(i / MADE_ROUNDS),
                   round = 1 + 0.01 * (double)(i % MADE_ROUNDS);
            g.members[m].samples[i] =
                (struct fb_sample){.wall_ns = 2 * process * round * (m ? ratio : 1),
                                   .cpu_ns = process * round * (m ? 3 * ratio : 1),
                                   .retries = retries};
        }
    }
    assert_int_equal(fb_group_estimate(&g), FB_OK);
    return g;
}

#endif
