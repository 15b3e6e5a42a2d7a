/*
 * A measurement in processes of its own, one after another, each with its own random placement.
 *
 * Addresses of code, stack, heap and data decide cache sets and branch-table slots for as long as a
 * process lives; only a new process draws them again. Each child is this executable started anew
 * (with an environment of random length, so the stack starts elsewhere; address-space layout
 * randomisation moves the rest) and receives what to do through an inherited file.
 *
 * Where the executable cannot be started again (under an emulator), the child is a fork whose heap
 * alone moves.
 */
#ifndef FILTERBENCH_HARNESS_MEASURE_PROCESSES_H
#define FILTERBENCH_HARNESS_MEASURE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filters/core/base.h"

/* What a child does: main reads its job from job_fd (from offset 0) and writes exactly the promised
 * bytes to out_fd. `placement` is random: offsets of data are derived from it. Returns an enum
 * fb_exit. */
struct fb_child {
    const char *name;
    int (*main)(int job_fd, int out_fd, uint64_t placement);
};

/* If argv asks for one of these children (started by fb_process_run), runs it and exits; else
 * returns. children ends with NULL. Called by main before anything else. */
void fb_processes_child(int argc, char **argv, const struct fb_child *const *children);

/* An unnamed file holding n_bytes of data, for jobs and filter bits; -1 if there is no memory.
 * Children inherit it under the same number. */
int fb_memory_file(const void *data, uint64_t n_bytes);

/* All n_bytes, in as many reads or writes as it takes: a child's job in, what it measured out. */
bool fb_transfer_in(int fd, void *out, size_t n_bytes);
bool fb_transfer_out(int fd, const void *data, size_t n_bytes);
/* The same from a place in a file; errno stays as it is where the file ends before. */
bool fb_transfer_at(int fd, void *out, size_t n_bytes, uint64_t offset);

/* Runs one child, which delivers n_bytes. FB_EIO if it fails or delivers too little, unless
 * fb_interrupted(): what is in `out` then counts for nothing. *executed: whether it was started
 * anew, not forked only; NULL: nobody asks. */
enum fb_err fb_process_run(const struct fb_child *, uint64_t placement, int job_fd, void *out,
                           size_t n_bytes, bool *executed) FB_MUST_USE;

/* The same under another program, as valgrind: `under` is its name, looked up in PATH, and its
 * options, ending with NULL. What they say on stderr is lost. FB_EIO also where it is not there, or
 * does not run the child. */
enum fb_err fb_process_run_under(const char *const *under, const struct fb_child *,
                                 uint64_t placement, int job_fd, void *out,
                                 size_t n_bytes) FB_MUST_USE;

#endif
