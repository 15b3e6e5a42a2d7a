/*
 * A study: one experiment in shards, and the folder where they come together.
 *
 *     DIR/study.json            what it is: {study: 1, shards: 8, folder, command: ["run", ...],
 *                               tool, files: {each file that the command names: hash}}
 *     DIR/shard-3.json          the result of shard 3 of 8, once it is finished
 *     DIR/shard-3.json.journal  what it has finished so far: work/journal.h
 *     DIR/shard-3.log, .state   what it said, who runs it, how it ended: attempt.h
 *     DIR/result.json           all of them, merged
 *
 * Nothing else says how far it is, so any program may run the shards, on any hosts that share DIR.
 */
#ifndef FILTERBENCH_HARNESS_STUDY_STUDY_H
#define FILTERBENCH_HARNESS_STUDY_STUDY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/exit.h"

enum { FB_STUDY_PATH = 4096 };

struct fb_study {
    const char *path; /* of DIR, borrowed */
    json_t *about;    /* study.json, owned */
    unsigned shards;
};

/* A study that is not on disk yet: of a command [n], told from the folder where this process is.
 * FB_EXIT_IO with a line on stderr. Close it in any case. */
enum fb_exit fb_study_plan(const char *path, unsigned shards, char **command, size_t n,
                           struct fb_study *);
/* Makes DIR and its study.json; a study of the same command and number is left as it is.
 * FB_EXIT_USAGE where another study is there, FB_EXIT_IO; a line on stderr. */
enum fb_exit fb_study_make(const struct fb_study *);

/* Reads study.json. FB_EXIT_USAGE with a line on stderr where DIR has none. Close it in any case.
 */
enum fb_exit fb_study_open(const char *path, struct fb_study *);
void fb_study_close(struct fb_study *);

/*
 * Whether this user has made the study on this machine, or trusts it: a folder of somebody else may
 * name any file and any plugin in its command. A copy of study.json beside the machine's other
 * files (fb_machine_file) says so; fb_study_make writes it.
 */
bool fb_study_is_trusted(const struct fb_study *);
void fb_study_trust(const struct fb_study *);

/* "DIR/shard-3.json" of shard number 3, from 1. */
void fb_study_shard_path(const struct fb_study *, unsigned shard, char path[FB_STUDY_PATH]);

/* The arguments of a filterbench that runs shard number `shard`, or with --dry-run only plans it:
 * argv[0] first, NULL last; freed with free(), the words belong to the study and to `room`. NULL:
 * out of memory. */
struct fb_study_room {
    char shard[32], path[FB_STUDY_PATH];
};
char **fb_study_command(const struct fb_study *, unsigned shard, bool dry_run,
                        struct fb_study_room *room);

/*
 * How far it is: {shards, done, running, failed, waiting, left_s, rows: [{shard, state, steps,
 * of_steps, elapsed_s, left_s, and host, pid, since, ended, exit, why of its last attempt}]}, to be
 * released. A shard is "done" once its result is there and whole. It is "running" while a process
 * has its journal or its log locked (on this host, or where the file system passes locks on). It
 * has "failed" where there was an attempt, else it is "waiting". left_s is null where no finished
 * step tells. NULL with a line on stderr: a journal cannot be read.
 */
json_t *fb_study_status(const struct fb_study *);

#endif
