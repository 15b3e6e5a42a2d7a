#include "harness/base/same_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/message.h"

/* A regular file by what no name or link changes. */
struct use {
    dev_t device;
    ino_t inode;
    const char *writer; /* the path as its writer gave it; NULL: the file was read */
};
static struct use *uses;
static size_t n_uses, room;

static const struct use *find(const struct stat *about, bool written)
{
    for (size_t i = 0; i < n_uses; i++)
        if (uses[i].device == about->st_dev && uses[i].inode == about->st_ino &&
            (uses[i].writer != NULL) == written)
            return &uses[i];
    return NULL;
}

static enum fb_exit note(const struct stat *about, const char *writer)
{
    if (find(about, writer != NULL))
        return FB_EXIT_OK;
    if (n_uses == room) {
        const size_t more = room ? 2 * room : 16;
        struct use *larger = realloc(uses, more * sizeof *uses);
        if (!larger)
            return fb_fail("files", FB_ENOMEM, NULL);
        uses = larger;
        room = more;
    }
    uses[n_uses++] = (struct use){about->st_dev, about->st_ino, writer};
    return FB_EXIT_OK;
}

static enum fb_exit refuse(const char *path)
{
    fb_error("%s: it would be read and written; give another file for the output", path);
    return FB_EXIT_USAGE;
}

enum fb_exit fb_same_file_reads(const char *path, int fd)
{
    struct stat about, out;
    if (fstat(fd, &about) || !S_ISREG(about.st_mode))
        return FB_EXIT_OK;
    const bool is_stdout =
        !fstat(STDOUT_FILENO, &out) && out.st_dev == about.st_dev && out.st_ino == about.st_ino;
    return is_stdout || find(&about, true) ? refuse(path) : note(&about, NULL);
}

void fb_same_file_goes_on(const char *path)
{
    struct stat about;
    const bool exists = !stat(path, &about);
    for (size_t i = 0; exists && i < n_uses; i++)
        if (uses[i].device == about.st_dev && uses[i].inode == about.st_ino && !uses[i].writer) {
            uses[i] = uses[--n_uses];
            return;
        }
}

enum fb_exit fb_same_file_writes(const char *path)
{
    struct stat about;
    const bool regular = !stat(path, &about) && S_ISREG(about.st_mode);
    return regular && find(&about, false) ? refuse(path) : FB_EXIT_OK;
}

enum fb_exit fb_same_file_writing(const char *path)
{
    struct stat about;
    const enum fb_exit code = fb_same_file_writes(path);
    return code || stat(path, &about) || !S_ISREG(about.st_mode) ? code : note(&about, path);
}

void fb_same_file_written(const char *path)
{
    for (size_t i = 0; i < n_uses; i++) {
        if (uses[i].writer == path) {
            uses[i] = uses[--n_uses];
            return;
        }
    }
}
