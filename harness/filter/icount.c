#include "harness/filter/icount.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/parallel.h"
#include "harness/filter/timed.h"

/* All of a file as a text, to be freed; NULL: no memory, or it cannot be read. */
static char *text_of(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = size < 0 ? NULL : calloc((size_t)size + 1, 1);
    bool read = text && !lseek(fd, 0, SEEK_SET) && fb_transfer_in(fd, text, (size_t)size);
    if (!read) {
        free(text);
        return NULL;
    }
    return text;
}

/*
 * Of what callgrind wrote:
 *
 *     creator: callgrind-3.19.0
 *     desc: Trigger: Client Request: cell 0
 *     totals: 12060
 *
 * with a "desc" and "totals" for each cell, and some of no cell.
 */
static void read_counts(char *text, struct fb_icount *out, size_t n, char version[32])
{
    size_t cell = n, number;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        uint64_t count;
        sscanf(line, "creator: callgrind-%31s", version);
        if (!strncmp(line, "desc: Trigger:", 14))
            cell =
                sscanf(line, "desc: Trigger: Client Request: cell %zu", &number) == 1 ? number : n;
        if (cell < n && sscanf(line, "totals: %" SCNu64, &count) == 1)
            out[cell].instructions = count;
    }
}

static enum fb_err count(const struct fb_timing_job *job, int fd, struct fb_icount *out,
                         char version[32], const char **why)
{
    char file[64];
    const char *const command[] = {"valgrind",
                                   "--tool=callgrind",
                                   "--log-file=/dev/null",
                                   "--collect-atstart=no",
                                   "--combine-dumps=yes",
                                   file,
                                   NULL};
    uint64_t *operations = calloc(job->n_cells + 1, sizeof *operations);
    if (!operations)
        return FB_ENOMEM;
    snprintf(file, sizeof file, "--callgrind-out-file=/proc/self/fd/%d", fd);
    enum fb_err err = fb_timing_once(job, FB_TIME_ICOUNT, command, operations, sizeof *operations);
    char *text = err || fb_interrupted() ? NULL : text_of(fd);
    for (size_t i = 0; i < job->n_cells; i++)
        out[i].operations = operations[i];
    if (err == FB_EIO) {
        err = FB_EUNSUPPORTED;
        *why = "valgrind is not installed (`apt-get install valgrind`), or does not run this "
               "executable";
    } else if (text) {
        read_counts(text, out, job->n_cells, version);
    } else if (!err && !fb_interrupted()) {
        err = FB_ENOMEM;
    }
    free(text);
    free(operations);
    return err;
}

enum fb_err fb_timing_icount(const struct fb_timing_job *job, struct fb_icount *out,
                             char version[32], const char **why)
{
    memset(out, 0, job->n_cells * sizeof *out);
    *version = '\0';
    *why = NULL;
    if (!fb_timed_icounts()) {
        *why = "built without valgrind's headers";
        return FB_EUNSUPPORTED;
    }
    int fd = fb_memory_file("", 0);
    if (fd < 0)
        return FB_ENOMEM;
    enum fb_err err = count(job, fd, out, version, why);
    close(fd);
    return err;
}
