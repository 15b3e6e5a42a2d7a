#define _DEFAULT_SOURCE /* flock */

#include "harness/base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/exit.h"

#define SUFFIX ".tmp-"

/* Their mode until they are whole, which no file of the user's has: nobody reads half of one, and
 * what is not ours is kept. */
enum { OURS = 0200 };

/* ---- Those of this process, for the signal handler ---- */

enum { MOST = 64 };
static char *volatile own[MOST];

static void replace(const char *from, char *to)
{
    for (int i = 0; i < MOST; i++) {
        if (own[i] == from) {
            own[i] = to;
            return;
        }
    }
}

static char last_words[4200] = "filterbench: interrupted\n";
static volatile sig_atomic_t resumes; /* they say how to go on */
static const char *volatile own_folder;

void fb_last_words(const char *path)
{
    snprintf(last_words, sizeof last_words,
             "filterbench: %s: interrupted; run it again with --resume to continue\n", path);
    resumes = 1;
}

void fb_temporary_folder(const char *path)
{
    own_folder = path;
}

/* In place of this process: its other threads, which may write there, are then gone. */
static void remove_folder(const char *path, int number)
{
    const char *code = number == SIGTERM ? "143" : number == SIGHUP ? "129" : "130";
    alarm(0);
    execl("/bin/sh", "sh", "-c", "rm -rf -- \"$1\"; exit $2", "sh", path, code, (char *)NULL);
}

/* SIGALRM: a run did not heed the signal before (parallel.h). */
static void end_by_signal(int number)
{
    for (int i = 0; i < MOST; i++)
        if (own[i])
            unlink(own[i]);
    if (number == SIGALRM || (resumes && number != SIGPIPE))
        (void)!write(STDERR_FILENO, last_words, strlen(last_words));
    if (own_folder)
        remove_folder(own_folder, number);
    if (number == SIGINT || number == SIGALRM)
        _exit(FB_EXIT_INTERRUPTED);
    signal(number, SIG_DFL);
    raise(number);
}

/* Caught, not ignored: what this process starts does not inherit it. */
static void go_on(int number)
{
    (void)number;
}

void fb_temporary_exit_on_signal(void)
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
    signal(SIGXFSZ, go_on);
}

/* ---- What killed processes left ---- */

/* "out.tmp-123" of "out". */
static bool is_of(const char *name, const char *output)
{
    const size_t len = strlen(output), suffix = strlen(SUFFIX);
    if (strncmp(name, output, len) != 0 || strncmp(name + len, SUFFIX, suffix) != 0)
        return false;
    const char *pid = name + len + suffix;
    return *pid && !pid[strspn(pid, "0123456789")];
}

/* Whether the name still stands for the open file. */
static bool is_at(int folder, const char *name, int fd)
{
    struct stat open_file, named;
    return !fstat(fd, &open_file) && !fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

static void remove_unlocked(int folder, const char *name)
{
    struct stat about;
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) || !S_ISREG(about.st_mode) ||
        (about.st_mode & 0777) != OURS || about.st_uid != geteuid())
        return;
    const int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (!flock(fd, LOCK_EX | LOCK_NB) && is_at(folder, name, fd))
        unlinkat(folder, name, 0);
    close(fd);
}

static void remove_leftovers(const char *path)
{
    const char *slash = strrchr(path, '/'), *output = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, (size_t)(output - path)) : strdup(".");
    DIR *all = folder ? opendir(folder) : NULL;
    for (const struct dirent *entry; all && (entry = readdir(all));)
        if (is_of(entry->d_name, output))
            remove_unlocked(dirfd(all), entry->d_name);
    if (all)
        closedir(all);
    free(folder);
}

/* ---- Making one ---- */

/* A file made and not yet locked may be taken for a leftover: then it is made again. */
static int make(const char *name)
{
    for (;;) {
        const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, OURS);
        if (fd < 0)
            return -1;
        const bool taken = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
        if (!taken && is_at(AT_FDCWD, name, fd))
            return fd;
        close(fd);
    }
}

int fb_temporary_open(const char *path, char **name)
{
    const size_t size = strlen(path) + 32;
    *name = malloc(size);
    if (!*name)
        return -1;
    snprintf(*name, size, "%s" SUFFIX "%ld", path, (long)getpid());
    remove_leftovers(path);
    replace(NULL, *name);
    const int fd = make(*name);
    if (fd < 0) { /* nothing of ours is there: it is not removed */
        const int cause = errno;
        replace(*name, NULL);
        free(*name);
        *name = NULL;
        errno = cause;
    }
    return fd;
}

mode_t fb_temporary_mode(void)
{
    const mode_t without = umask(077);
    umask(without);
    return 0666 & ~without;
}

void fb_temporary_close(char *name, bool renamed)
{
    if (!renamed)
        unlink(name);
    replace(name, NULL);
    free(name);
}
