/* Turns of a group of candidates, kept in a journal and recalled. */
#include "harness/work/turns.h"

#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(a_turn_comes_back)
{
    char folder[] = "/tmp/filterbench-turns-XXXXXX", path[64];
    struct fb_sample row[] = {{1.5, 2.5, 3, 4}, {5, 6, 7, 8}}, back[2] = {{0}};
    const struct fb_turn turn = {.part = 1, .n = 2, .row = row, .spent_s = 0.5, .executed = true};
    struct fb_turn found = {.part = 1, .n = 2, .row = back};
    struct fb_turns turns = {.name = "one"};
    json_t *header = json_pack("{s:s}", "kind", "turns");
    assert_true(fb_turns_keep(&turns, 7, &turn)); /* nowhere, without a journal */
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(fb_journal_open(path, header, false, &turns.journal), FB_EXIT_OK);
    assert_true(fb_turns_keep(&turns, 7, &turn));
    fb_journal_close(turns.journal, false);
    assert_int_equal(fb_journal_open(path, header, true, &turns.journal), FB_EXIT_OK);
    assert_true(fb_turns_recall(&turns, 7, &found));
    assert_memory_equal(back, row, sizeof row);
    assert_true(found.spent_s == 0.5 && found.executed);
    assert_false(fb_turns_recall(&turns, 8, &found));
    found.n = 1;
    assert_false(fb_turns_recall(&turns, 7, &found));
    found.n = 2, found.part = 0;
    assert_false(fb_turns_recall(&turns, 7, &found));
    fb_journal_close(turns.journal, true);
    json_decref(header);
    rmdir(folder);
}

TESTS(NULL, NULL)
