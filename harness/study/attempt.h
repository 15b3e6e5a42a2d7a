/*
 * An attempt at a shard: a process that runs it, and one that watches it. The watcher copies what
 * the run says on stderr to DIR/shard-3.log, with a line whenever steps were finished, and writes
 * DIR/shard-3.state:
 *
 *     {"host", "pid": the watcher's, "since": UTC}          while it runs
 *     and "ended": UTC, "exit": code or 128 + signal, "why": the last error, or null    after that
 *
 * The log is locked (fcntl) while the watcher lives. If it dies, the run dies with it.
 */
#ifndef FILTERBENCH_HARNESS_STUDY_ATTEMPT_H
#define FILTERBENCH_HARNESS_STUDY_ATTEMPT_H

#include <jansson.h>

#include "harness/base/exit.h"

/* In all functions `folder` is the study's, and `shard` counts from 1. */

/* Runs argv as a shard of `study` (its study.json), from the folder that it names. `output` is the
 * result's path; a damaged one there becomes OUTPUT.damaged. SIGINT, SIGTERM and SIGHUP are passed
 * on. Returns the code of the run, 128 + the signal that ended it, FB_EXIT_USAGE where the shard
 * runs already, FB_EXIT_NOT_COMPARABLE where what the study pins has changed, or FB_EXIT_IO; a line
 * on stderr. */
int fb_attempt_run(const char *folder, const json_t *study, unsigned shard, char **argv,
                   const char *output);

/* What the last attempt says, to be released: the members of the state; NULL where there was none.
 * *watcher: 0 if nobody holds the lock of the log, so that the shard does not run; else the process
 * that does, or -1 where the system cannot name it, as on another host. */
json_t *fb_attempt_look(const char *folder, unsigned shard, long *watcher);

/* Removes all files of a shard, so that it begins anew. FB_EXIT_USAGE where it runs, FB_EXIT_IO. */
enum fb_exit fb_attempt_reset(const char *folder, unsigned shard);

/* Asks those of `shards` shards that this host runs to stop, by SIGTERM. *elsewhere: how many
 * others run. */
void fb_attempt_cancel(const char *folder, unsigned shards, unsigned *asked, unsigned *elsewhere);

#endif
