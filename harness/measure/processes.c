#define _GNU_SOURCE /* memfd_create */
#include "harness/measure/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "harness/base/exit.h"
#include "harness/base/parallel.h"

static const char child_flag[] = "--measuring-child";

enum { MAX_PADDING = 4096 }; /* bytes of environment: a page of stack positions, 16 bytes apart */

/* The heap moves by the padding as well: it is allocated first and never freed. The first byte back
 * says how the process was started. */
static int run_child(const struct fb_child *child, int job_fd, int out_fd, uint64_t placement,
                     uint8_t executed)
{
    static char *volatile heap;
    heap = malloc(1 + placement % MAX_PADDING);
    bool begun = heap && write(out_fd, &executed, 1) == 1;
    return begun ? child->main(job_fd, out_fd, placement) : FB_EXIT_IO;
}

void fb_processes_child(int argc, char **argv, const struct fb_child *const *children)
{
    if (argc != 6 || strcmp(argv[1], child_flag) != 0)
        return;
    for (; *children; children++)
        if (!strcmp((*children)->name, argv[2]))
            exit(
                run_child(*children, atoi(argv[3]), atoi(argv[4]), strtoull(argv[5], NULL, 16), 1));
}

int fb_memory_file(const void *data, uint64_t n_bytes)
{
#ifdef MFD_CLOEXEC
    int fd = memfd_create("filterbench", 0);
#else
    FILE *file = tmpfile();
    int fd = file ? dup(fileno(file)) : -1;
    if (file)
        fclose(file);
#endif
    if (fd >= 0 && !fb_transfer_out(fd, data, (size_t)n_bytes)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

enum { MOST_UNDER = 16 }; /* words of a command to run under */

/* The path of this executable: under another program /proc/self/exe is that program. */
static const char *own_path(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    path[n > 0 ? n : 0] = '\0';
    return path;
}

/* `under`: NULL, or as for fb_process_run_under. Returns where it cannot be started. */
static void start_anew(const char *const *under, const struct fb_child *child, int job_fd,
                       int out_fd, uint64_t placement)
{
    char padding[MAX_PADDING + 1], job[16], out[16], place[24];
    size_t n = placement % MAX_PADDING;
    memset(padding, 'x', n);
    padding[n] = '\0';
    setenv("FILTERBENCH_PADDING", padding, 1);
    snprintf(job, sizeof job, "%d", job_fd);
    snprintf(out, sizeof out, "%d", out_fd);
    snprintf(place, sizeof place, "%llx", (unsigned long long)placement);
    if (!under) {
        execl("/proc/self/exe", "filterbench", child_flag, child->name, job, out, place,
              (char *)NULL);
        return;
    }
    char path[4096];
    const int nowhere = open("/dev/null", O_WRONLY); /* what it cannot run, it says at length */
    const char *const own[] = {
        own_path(path, sizeof path), child_flag, child->name, job, out, place};
    const char *command[MOST_UNDER + sizeof own / sizeof *own + 1] = {0};
    size_t words = 0;
    while (words < MOST_UNDER && under[words]) {
        command[words] = under[words];
        words++;
    }
    memcpy(command + words, own, sizeof own);
    dup2(nowhere, STDERR_FILENO);
    execvp(command[0], (char *const *)command);
}

bool fb_transfer_in(int fd, void *out, size_t n_bytes)
{
    for (uint8_t *next = out; n_bytes;) {
        ssize_t got = read(fd, next, n_bytes);
        if (got < 0 && errno == EINTR && !fb_interrupted())
            continue;
        if (got <= 0)
            return false;
        next += got;
        n_bytes -= (size_t)got;
    }
    return true;
}

bool fb_transfer_at(int fd, void *out, size_t n_bytes, uint64_t offset)
{
    for (uint8_t *next = out; n_bytes;) {
        ssize_t got = pread(fd, next, n_bytes, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        next += got;
        offset += (uint64_t)got;
        n_bytes -= (size_t)got;
    }
    return true;
}

bool fb_transfer_out(int fd, const void *data, size_t n_bytes)
{
    for (const uint8_t *next = data; n_bytes;) {
        ssize_t put = write(fd, next, n_bytes > 1 << 30 ? 1 << 30 : n_bytes);
        if (put < 0 && errno == EINTR && !fb_interrupted())
            continue;
        if (put <= 0)
            return false;
        next += put;
        n_bytes -= (size_t)put;
    }
    return true;
}

static enum fb_err run(const char *const *under, const struct fb_child *child, uint64_t placement,
                       int job_fd, void *out, size_t n_bytes, bool *executed)
{
    int pipe_fds[2], status = 0;
    uint8_t anew = 0;
    if (lseek(job_fd, 0, SEEK_SET) || pipe(pipe_fds))
        return FB_EIO;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(pipe_fds[0]);
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever waits for it may be killed */
#endif
        start_anew(under, child, job_fd, pipe_fds[1], placement);
        /* No exec here (an emulator): go on in the forked copy. */
        _exit(under ? FB_EXIT_IO : run_child(child, job_fd, pipe_fds[1], placement, 0));
    }
    close(pipe_fds[1]);
    bool delivered = pid > 0 && fb_transfer_in(pipe_fds[0], &anew, 1) &&
                     fb_transfer_in(pipe_fds[0], out, n_bytes);
    close(pipe_fds[0]);
    if (pid > 0 && !delivered)
        kill(pid, SIGKILL); /* interrupted: what it still measures nobody reads */
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (executed)
        *executed = anew;
    const bool fine = delivered && WIFEXITED(status) && WEXITSTATUS(status) == FB_EXIT_OK;
    return fine || fb_interrupted() ? FB_OK : FB_EIO;
}

enum fb_err fb_process_run(const struct fb_child *child, uint64_t placement, int job_fd, void *out,
                           size_t n_bytes, bool *executed)
{
    return run(NULL, child, placement, job_fd, out, n_bytes, executed);
}

enum fb_err fb_process_run_under(const char *const *under, const struct fb_child *child,
                                 uint64_t placement, int job_fd, void *out, size_t n_bytes)
{
    return run(under, child, placement, job_fd, out, n_bytes, NULL);
}
