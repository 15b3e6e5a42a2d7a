/*
 * Temporary files: an output is written to one beside it, path.tmp-PID, and then renamed. While it
 * is open its writer holds a lock on it (flock): one that nobody has locked was left by a process
 * that was killed.
 */
#ifndef FILTERBENCH_HARNESS_BASE_TEMPORARY_H
#define FILTERBENCH_HARNESS_BASE_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Removes what killed processes left beside `path`, and makes a file for it. Returns its locked
 * descriptor, to be closed after the name is gone, and its name in *name, to be released with
 * fb_temporary_close; -1 with errno. Nobody may read it: its mode is 0200 until its writer gives it
 * another.
 */
int fb_temporary_open(const char *path, char **name);
/* The mode of a new file: what the umask leaves of 0666. */
mode_t fb_temporary_mode(void);
/* Removes the file unless it was renamed, and frees the name. */
void fb_temporary_close(char *name, bool renamed);

/* From now on SIGALRM (parallel.h), or a second signal, says that --resume goes on with `path`. */
void fb_last_words(const char *path);
/* From now on a signal that ends the process removes this folder too (borrowed; NULL: none). */
void fb_temporary_folder(const char *path);

/* SIGINT, SIGTERM, SIGHUP and SIGPIPE remove temporary files and end the process. A write beyond
 * the limit of a file's size is an error (EFBIG), not the end. */
void fb_temporary_exit_on_signal(void);

#endif
