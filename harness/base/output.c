#include "harness/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/printable.h"
#include "harness/base/same_file.h"
#include "harness/base/temporary.h"

bool fb_output_is_stdout(const char *path)
{
    return !path || !strcmp(path, "-") || !strcmp(path, "/dev/stdout") ||
           !strcmp(path, "/dev/fd/1") || !strcmp(path, "/proc/self/fd/1");
}

/* A device, a pipe, a descriptor of /proc: nothing that could be renamed over. */
static bool written_directly(const char *path, const struct stat *about)
{
    return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) ||
           (about && !S_ISREG(about->st_mode) && !S_ISLNK(about->st_mode));
}

static bool has_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : NULL;
    bool has = !slash || (folder && !access(folder, F_OK));
    free(folder);
    return has;
}

/* What exists and is written directly. A pipe waits a while for one who reads it, which is said. */
static int open_directly(const char *path)
{
    enum { TRIES = 250 };
    static const struct timespec pause = {.tv_nsec = 20000000};
    int fd;
    for (int tries = 0; tries < TRIES; tries++) {
        fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0 || errno != ENXIO)
            break;
        if (!tries)
            fb_note("%s: a pipe; waiting for something to read it", path);
        nanosleep(&pause, NULL);
        errno = ENXIO;
    }
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, 0);
    return fd;
}

enum fb_exit fb_output_open(const char *path, struct fb_output *out)
{
    struct stat about, there;
    memset(out, 0, sizeof *out);
    if (fb_output_is_stdout(path)) {
        out->file = stdout;
        return FB_EXIT_OK;
    }
    const bool exists = !lstat(path, &about), regular = exists && S_ISREG(about.st_mode);
    if (!stat(path, &there) && S_ISDIR(there.st_mode))
        return fb_file_error(path, "cannot be written", EISDIR);
    if (regular && access(path, W_OK))
        return fb_file_error(path, "cannot be written", errno);
    enum fb_exit code = fb_same_file_writes(path);
    if (code)
        return code;
    const bool directly = written_directly(path, exists ? &about : NULL);
    out->path = strdup(path);
    if (!out->path)
        return fb_file_error(path, "cannot be written", errno);
    int fd;
    if (directly) {
        fd = open_directly(path);
    } else {
        char *temporary = NULL;
        fd = fb_temporary_open(out->path, &temporary);
        out->temporary = temporary;
        out->lock = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
        out->mode = regular ? about.st_mode & 0777 : fb_temporary_mode();
    }
    out->file = fd < 0 ? NULL : fdopen(fd, "wb");
    int cause = errno;
    if (out->file) {
        code = fb_same_file_writing(out->path);
        if (code)
            fb_output_close(out);
        return code;
    }
    if (fd >= 0)
        close(fd);
    const char *slash = strrchr(out->path, '/');
    if (cause == ENOENT && !has_folder(out->path))
        fb_error("%s: its folder does not exist; make it first: `mkdir -p %.*s`", path,
                 (int)(slash - out->path), out->path);
    else if (cause == ENXIO)
        fb_error("%s: a pipe that nothing reads; start what reads it, or give another file", path);
    else
        fb_file_error(path, "cannot be written", cause);
    fb_output_close(out);
    return FB_EXIT_IO;
}

/* Why a write failed that nobody looked at: errno, where that is one of writing, or 0. */
static int cause_of_earlier(FILE *file)
{
    const int cause = errno;
    const bool of_writing = cause == ENOSPC || cause == EDQUOT || cause == EFBIG || cause == EPIPE;
    return ferror(file) && of_writing ? cause : 0;
}

static void close_temporary(struct fb_output *out, bool renamed)
{
    if (!out->temporary)
        return;
    fb_temporary_close(out->temporary, renamed);
    out->temporary = NULL;
    if (out->lock >= 0)
        close(out->lock);
}

/* False with errno. */
static bool keep_older(const char *path, char *older, size_t size)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const int stem = (int)(dot ? (size_t)(dot - path) : strlen(path));
    for (unsigned n = 1;; n++) {
        errno = ENAMETOOLONG;
        if (snprintf(older, size, "%.*s-%u%s", stem, path, n, dot ? dot : "") >= (int)size)
            return false;
        if (!link(path, older))
            return true;
        if (errno == ENOENT) { /* nothing stood there */
            older[0] = '\0';
            return true;
        }
        if (errno != EEXIST && access(older, F_OK)) /* there are no hard links */
            return !rename(path, older);
    }
}

enum fb_exit fb_output_commit(struct fb_output *out)
{
    return fb_output_commit_beside(out, NULL, 0);
}

enum fb_exit fb_output_commit_beside(struct fb_output *out, char *older, size_t size)
{
    int cause = cause_of_earlier(out->file);
    errno = 0;
    bool failed = fflush(out->file) || ferror(out->file);
    cause = errno ? errno : cause;
    if (out->file != stdout) {
        if (fclose(out->file) && !failed) {
            failed = true;
            cause = errno;
        }
        out->file = NULL;
    }
    if (!failed && out->temporary &&
        (fchmod(out->lock, out->mode) || (older && !keep_older(out->path, older, size)) ||
         rename(out->temporary, out->path))) {
        failed = true;
        cause = errno;
    }
    const char *name = out->path ? out->path : "stdout";
    enum fb_exit code = failed ? FB_EXIT_IO : FB_EXIT_OK;
    if (failed && cause)
        fb_file_error(name, "not written", cause);
    else if (failed)
        fb_error("%s: not written to its end; is it closed, or the disk full?", name);
    close_temporary(out, !failed);
    fb_output_close(out);
    return code;
}

void fb_output_close(struct fb_output *out)
{
    if (out->file && out->file != stdout)
        fclose(out->file);
    close_temporary(out, false);
    if (out->path)
        fb_same_file_written(out->path);
    free(out->path);
    memset(out, 0, sizeof *out);
}

enum fb_exit fb_output_end(struct fb_output *out, enum fb_exit written)
{
    const enum fb_exit code = written ? written : fb_output_commit(out);
    fb_output_close(out);
    return code;
}

enum fb_exit fb_output_json(struct fb_output *out, const json_t *document)
{
    /* 15 digits: what a user wrote comes back as it was written. */
    size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(15);
    errno = 0;
    if (!document)
        return fb_fail("JSON document", FB_ENOMEM, NULL);
    /* A terminal may show it. */
    char *text = out->file == stdout ? json_dumps(document, flags) : NULL;
    const bool failed = text ? fputs(fb_make_printable(text, true), out->file) == EOF
                             : json_dumpf(document, out->file, flags) != 0;
    free(text);
    if (failed || fputc('\n', out->file) == EOF)
        return fb_file_error(out->path ? out->path : "stdout", "not written", errno ? errno : EIO);
    return FB_EXIT_OK;
}

enum fb_exit fb_output_write(const char *path, const json_t *document)
{
    struct fb_output out;
    const enum fb_exit code = fb_output_open(path, &out);
    return code ? code : fb_output_end(&out, fb_output_json(&out, document));
}
