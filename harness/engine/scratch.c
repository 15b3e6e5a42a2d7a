#define _XOPEN_SOURCE 700 /* mkdtemp, fdopendir */

#include "harness/engine/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "harness/base/message.h"
#include "harness/base/temporary.h"

static enum fb_exit fail(const char *path, const char *what)
{
    fb_error("%s: %s: %s", path, what, strerror(errno));
    return FB_EXIT_IO;
}

/* "." and ".." are not. */
static bool is_entry(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* ---- Folders of files ---- */

static enum fb_exit copy_bytes(const char *name, int from, int to)
{
    static char buffer[1 << 16];
    for (;;) {
        const ssize_t n = read(from, buffer, sizeof buffer);
        if (n == 0)
            return FB_EXIT_OK;
        for (ssize_t done = 0, some; done < n; done += some) {
            some = write(to, buffer + done, (size_t)(n - done));
            if (some <= 0)
                return fail(name, "cannot be copied");
        }
        if (n < 0)
            return fail(name, "cannot be copied");
    }
}

static enum fb_exit copy_file(int from_folder, int to_folder, const char *name)
{
    const int from = openat(from_folder, name, O_RDONLY | O_CLOEXEC);
    const int to =
        from < 0 ? -1 : openat(to_folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum fb_exit code = to < 0 ? fail(name, "cannot be copied") : copy_bytes(name, from, to);
    if (from >= 0)
        close(from);
    if (to >= 0 && close(to) && !code)
        code = fail(name, "cannot be copied");
    return code;
}

/* Engines write tables once. */
static bool is_table(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".sst") || !strcmp(dot, ".ldb"));
}

enum fb_exit fb_folder_copy(const char *from, const char *to)
{
    if (mkdir(to, 0700))
        return fail(to, "no folder can be made");
    const int to_folder = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *all = opendir(from);
    enum fb_exit code = all && to_folder >= 0 ? FB_EXIT_OK : fail(from, "cannot be read");
    struct stat about;
    for (const struct dirent *e; !code && (e = readdir(all));)
        if (!fstatat(dirfd(all), e->d_name, &about, 0) && S_ISREG(about.st_mode) &&
            (!is_table(e->d_name) || linkat(dirfd(all), e->d_name, to_folder, e->d_name, 0)))
            code = copy_file(dirfd(all), to_folder, e->d_name);
    if (all)
        closedir(all);
    if (to_folder >= 0)
        close(to_folder);
    return code;
}

/* Entries of an open folder, which it takes, and the folders in it. */
static bool empty_folder(int fd, int depth)
{
    DIR *all = fd < 0 ? NULL : fdopendir(fd);
    bool done = all;
    if (fd >= 0 && !all)
        close(fd);
    for (const struct dirent *e; all && (e = readdir(all));) {
        if (!is_entry(e->d_name))
            continue;
        if (!unlinkat(dirfd(all), e->d_name, 0))
            continue;
        const int inner =
            depth ? openat(dirfd(all), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                  : -1;
        done = inner >= 0 && empty_folder(inner, depth - 1) &&
               !unlinkat(dirfd(all), e->d_name, AT_REMOVEDIR) && done;
    }
    if (all)
        closedir(all);
    return done;
}

enum { DEPTH = 8 };

enum fb_exit fb_folder_remove(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (!empty_folder(fd, DEPTH) || rmdir(path))
        return fail(path, "cannot be removed");
    return FB_EXIT_OK;
}

/* ---- The temporary folder ---- */

enum fb_exit fb_scratch_open(const char *parent, uint64_t bytes, bool keep, struct fb_scratch *out)
{
    struct statvfs disk;
    const char *named = parent ? parent : getenv("TMPDIR");
    const char *in = named && *named ? named : "/tmp";
    out->path[0] = '\0';
    out->keep = keep;
    if (statvfs(in, &disk))
        return fail(in, "no folder can be made there");
    const double room = (double)disk.f_bavail * (double)disk.f_frsize;
    if (room < (double)bytes) {
        fb_error("%s: the databases take up to %.0f MB, and there is room for %.0f MB; give "
                 "another folder with --folder, or fewer keys with -n",
                 in, (double)bytes / 1e6, room / 1e6);
        return FB_EXIT_IO;
    }
    char path[sizeof out->path];
    if (snprintf(path, sizeof path, "%s/filterbench-XXXXXX", in) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return fail(in, "no folder can be made there");
    }
    if (!mkdtemp(path))
        return fail(in, "no folder can be made there");
    memcpy(out->path, path, sizeof path);
    fb_temporary_folder(keep ? NULL : out->path);
    if (bytes)
        fb_note("the databases take up to %.0f MB in %s, %s", (double)bytes / 1e6, path,
                keep ? "which is kept" : "which is removed at the end");
    return FB_EXIT_OK;
}

void fb_scratch_close(struct fb_scratch *s)
{
    if (*s->path && !s->keep)
        (void)fb_folder_remove(s->path);
    fb_temporary_folder(NULL);
    s->path[0] = '\0';
}

enum fb_exit fb_scratch_folder(const struct fb_scratch *s, const char *name, char *path,
                               unsigned size)
{
    if (snprintf(path, size, "%s/%s", s->path, name) >= (int)size) {
        errno = ENAMETOOLONG;
        return fail(s->path, "no folder can be made there");
    }
    return mkdir(path, 0700) ? fail(path, "no folder can be made") : FB_EXIT_OK;
}
