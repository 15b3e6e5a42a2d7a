/* A small file of segments, and a folder to put it in that is gone whatever ends the test. */
#ifndef FILTERBENCH_TESTS_STORE_TINY_FILE_H
#define FILTERBENCH_TESTS_STORE_TINY_FILE_H

#include "tests/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/store/device.h"

static char folder[4096], path[sizeof folder + 16];

static const struct fb_device_file tiny = {
    .path = path,
    .file_bytes = 2 * 65536,
    .segment_bytes = 65536,
    .block_bytes = 1024,
    .entry_bytes = 100,
    .filter_bits_per_key = 10,
    .reads = 300,
    .seed = 7,
};

/* Ends as the signal would have, with the folder gone. */
static inline void abandon(int number)
{
    unlink(path);
    rmdir(folder);
    signal(number, SIG_DFL);
    raise(number);
}

static inline void catch_signals(void)
{
    signal(SIGINT, abandon);
    signal(SIGTERM, abandon);
    signal(SIGHUP, abandon);
}

static inline int make_folder(void **state)
{
    const char *tmpdir = getenv("TMPDIR");
    (void)state;
    int len = snprintf(folder, sizeof folder, "%s/filterbench-device-XXXXXX",
                       tmpdir && *tmpdir ? tmpdir : "/tmp");
    assert_in_range(len, 1, sizeof folder - 1);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/segments", folder);
    catch_signals();
    return 0;
}

/* Nothing may have been left in it; what was is removed as well. */
static inline int remove_folder(void **state)
{
    bool left = !unlink(path);
    (void)state;
    return rmdir(folder) || left;
}

#endif
