/* What a trace says of the tree that it makes: how many operations of each kind, means of what is
 * put.
 */
#define _DEFAULT_SOURCE /* mkstemp */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/kind/lsm/experiment.h"

TEST(means_are_of_puts)
{
    static const char ops[] =
        "p abc 100\np de 30\nd abc\ng de\ng fghij\np k 20\ns a b 10\ng k\ng k\n";
    char path[] = "/tmp/fb-trace-XXXXXX";
    closed_by(fb_lsm_trace_close) struct fb_lsm_trace t;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, ops, strlen(ops)), strlen(ops));
    close(fd);
    assert_int_equal(fb_lsm_trace_load(path, NULL, &t), FB_EXIT_OK);
    unlink(path);
    assert_int_equal(t.puts, 3);
    assert_int_equal(t.gets, 4);
    assert_int_equal(t.deletes, 1);
    assert_int_equal(t.scans, 1);
    assert_near(t.key_bytes, (3 + 2 + 1) / 3.0, 1e-12);
    assert_near(t.value_bytes, 150 / 3.0, 1e-12);
}

TESTS(NULL, NULL)
