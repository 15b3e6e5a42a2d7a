#define _XOPEN_SOURCE 700 /* realpath */

#include "harness/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/message.h"

/* Unfinished files, for the signal handler. */
enum { UNFINISHED_MAX = 64 };
static char *volatile unfinished[UNFINISHED_MAX];

static void remember(char *temporary)
{
    for (int i = 0; i < UNFINISHED_MAX; i++) {
        if (!unfinished[i]) {
            unfinished[i] = temporary;
            return;
        }
    }
}

static void forget(const char *temporary)
{
    for (int i = 0; i < UNFINISHED_MAX; i++)
        if (unfinished[i] == temporary)
            unfinished[i] = NULL;
}

static void end_by_signal(int number)
{
    for (int i = 0; i < UNFINISHED_MAX; i++)
        if (unfinished[i])
            unlink(unfinished[i]);
    if (number == SIGINT)
        _exit(FB_EXIT_INTERRUPTED);
    signal(number, SIG_DFL);
    raise(number);
}

void fb_output_exit_on_signal(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_handler = end_by_signal}, old;
        bool optional = numbers[i] == SIGHUP || numbers[i] == SIGPIPE;
        sigemptyset(&action.sa_mask);
        if (optional && !sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_IGN)
            continue; /* nohup */
        sigaction(numbers[i], &action, NULL);
    }
}

static enum fb_exit io_error(const char *path, const char *what, int cause)
{
    fb_error("%s: %s: %s", path ? path : "stdout", what, strerror(cause));
    return FB_EXIT_IO;
}

bool fb_output_is_stdout(const char *path)
{
    return !path || !strcmp(path, "-") || !strcmp(path, "/dev/stdout") ||
           !strcmp(path, "/dev/fd/1") || !strcmp(path, "/proc/self/fd/1");
}

/* A device, a pipe, a descriptor of /proc: nothing that could be renamed over. */
static bool written_directly(const char *path, const struct stat *about)
{
    return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) ||
           (about && !S_ISREG(about->st_mode));
}

static bool has_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : NULL;
    bool has = !slash || (folder && !access(folder, F_OK));
    free(folder);
    return has;
}

enum fb_exit fb_output_open(const char *path, struct fb_output *out)
{
    struct stat about;
    memset(out, 0, sizeof *out);
    if (fb_output_is_stdout(path)) {
        out->file = stdout;
        return FB_EXIT_OK;
    }
    bool exists = !stat(path, &about);
    if (exists && S_ISDIR(about.st_mode))
        return io_error(path, "cannot be written", EISDIR);
    if (exists && access(path, W_OK))
        return io_error(path, "cannot be written", errno);
    /* Through a symbolic link, so that the link stays. */
    out->path = exists && S_ISREG(about.st_mode) ? realpath(path, NULL) : strdup(path);
    if (!out->path)
        return io_error(path, "cannot be written", errno);
    int fd;
    if (written_directly(path, exists ? &about : NULL)) {
        fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    } else {
        size_t size = strlen(out->path) + 32;
        out->temporary = malloc(size);
        if (!out->temporary) {
            fb_output_close(out);
            return io_error(path, "cannot be written", ENOMEM);
        }
        snprintf(out->temporary, size, "%s.tmp-%ld", out->path, (long)getpid());
        remember(out->temporary);
        fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 && exists)
            (void)!fchmod(fd, about.st_mode & 0777);
    }
    out->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (out->file)
        return FB_EXIT_OK;
    int cause = errno;
    if (fd >= 0)
        close(fd);
    fb_output_close(out);
    bool lost = cause == ENOENT && !has_folder(path);
    return io_error(path, lost ? "its folder does not exist" : "cannot be written", cause);
}

enum fb_exit fb_output_commit(struct fb_output *out)
{
    errno = 0;
    bool failed = fflush(out->file) || ferror(out->file);
    int cause = errno ? errno : EIO;
    if (out->file != stdout) {
        if (fclose(out->file) && !failed) {
            failed = true;
            cause = errno;
        }
        out->file = NULL;
    }
    if (!failed && out->temporary && rename(out->temporary, out->path)) {
        failed = true;
        cause = errno;
    }
    enum fb_exit code = failed ? io_error(out->path, "not written", cause) : FB_EXIT_OK;
    if (!failed && out->temporary) {
        forget(out->temporary);
        free(out->temporary);
        out->temporary = NULL;
    }
    fb_output_close(out);
    return code;
}

void fb_output_close(struct fb_output *out)
{
    if (out->file && out->file != stdout)
        fclose(out->file);
    if (out->temporary) {
        unlink(out->temporary);
        forget(out->temporary);
    }
    free(out->temporary);
    free(out->path);
    memset(out, 0, sizeof *out);
}

enum fb_exit fb_output_json(struct fb_output *out, const json_t *document)
{
    /* 15 digits: what a user wrote comes back as it was written. */
    size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(15);
    errno = 0;
    if (!document)
        return fb_fail("JSON document", FB_ENOMEM, NULL);
    if (json_dumpf(document, out->file, flags) || fputc('\n', out->file) == EOF)
        return io_error(out->path, "not written", errno ? errno : EIO);
    return FB_EXIT_OK;
}
